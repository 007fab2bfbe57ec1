// Ends a run: its record, the thread's row and the totals to be sent are written together; `run_end` is told exactly once.

import type { EventDraft } from "#contract/event.ts";
import { addCost, addUsage } from "#contract/usage.ts";
import { addWork, workIn, workOf } from "#core/limits/used.ts";
import type { RunEnd } from "#core/ports/strategy.ts";
import type { ActiveRun, EndedRun, MessageRecord } from "#core/record.ts";
import { isModelAnswer, isInScope, mainScope } from "#core/scope.ts";
import { textOf } from "#core/view.ts";

import { markForCatalog } from "../background/catalog-task.ts";
import { enqueueMessage } from "../children/outbound-messages.ts";
import type { ObjectContext } from "../object-context.ts";

/** Records the end and tells it. `messages` are the run's own, in order. */
export function finishRun(
  context: Pick<ObjectContext, "live" | "clock">,
  run: ActiveRun,
  halted: { end: RunEnd; messages: readonly MessageRecord[] },
): EndedRun {
  const { live, clock } = context;
  const { end } = halted;
  const { turns = 0, driven_ms = 0, paid = 0 } = run.progress;
  const work = workOf(halted.messages, { turns, driven_ms, paid });
  const finished: EndedRun = {
    ...run,
    ...summary(halted.messages),
    work,
    status: end.status,
    ended_at: clock.now(),
    reason: end.reason,
    outcome: end.outcome ?? null,
    error: end.error ?? null,
    queued: null,
    progress: null,
  };
  const { usage, cost } = live.record;
  live.transaction(() => {
    finished.events = [...run.events, ...live.stage(endEvents(finished, end))];
    live.store.updateRun(finished);
    live.change({
      status: end.status === "error" ? "error" : "idle",
      active_run_id: null,
      active_totals: null,
      usage: addUsage(usage, finished.usage),
      cost: addCost(cost, finished.cost),
      work: addWork(workIn(live.record), work),
      updated_at: clock.now(),
    });
    markForCatalog(live, run.id);
    if (finished.parent_run_id !== null) {
      const tool_executions = halted.messages.filter(({ role }) => role === "tool").length;
      enqueueMessage(live, { type: "result", run_id: run.id, tool_executions });
    }
    live.save();
  });
  live.broadcaster.releaseStored();
  return finished;
}

function summary(messages: readonly MessageRecord[]): Pick<EndedRun, "steps" | "text" | "message_ids"> {
  const answers = messages.filter((message) => isModelAnswer(message) && isInScope(mainScope, message));
  const last = answers.at(-1);
  return {
    steps: answers.length,
    text: last === undefined ? null : textOf(last.parts),
    message_ids: messages.map((message) => message.id),
  };
}

function endEvents(run: EndedRun, end: RunEnd): EventDraft[] {
  const of = { run_id: run.id };
  const turn: EventDraft[] =
    end.turn === undefined
      ? []
      : [
          {
            type: "turn_end",
            ...of,
            side: end.turn,
            reason: end.reason ?? end.status,
            ...(end.outcome === undefined ? {} : { outcome: end.outcome }),
          },
        ];
  const { status, reason, outcome, usage, cost, message_ids, error } = run;
  return [...turn, { type: "run_end", ...of, status, reason, outcome, usage, cost, message_ids, error }];
}
