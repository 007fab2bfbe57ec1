// Writes the rows of a run when it is queued, when it begins, and when it ends. The run's row, its message and the thread's row are written
// in one transaction, and the events are sent after it.

import type { EventDraft, EventOf } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Limits, RunKind } from "#contract/run.ts";
import { addCost, addUsage } from "#contract/usage.ts";
import { addWork, workIn, workOf } from "#core/limits/used.ts";
import type { RunEnd } from "#core/ports/strategy-port.ts";
import { noProgress, nothingDone } from "#core/record/blank-run.ts";
import type { MessageRecord, QueueRecord, StoredEvent, ThreadRecord } from "#core/record/record.ts";
import type {
  ActiveRun,
  EndedRun,
  ExecutedRun,
  QueuedCall,
  QueuedInput,
  QueuedRun,
  RunRecord,
} from "#core/record/run-record.ts";
import { isInScope, isModelAnswer, mainScope } from "#core/record/scope.ts";
import { textOf } from "#core/record/view.ts";

import { enqueueMessage } from "../children/outbound-messages.ts";
import type { DeployedThread, LiveThread } from "../live/live-thread.ts";
import { switchBranch } from "../live/switch-branch.ts";
import type { BranchChange } from "../live/switch-branch.ts";

/** The parameters of a new run. */
export interface NewRun {
  kind: RunKind;
  limits: Limits | null;
  /** JSON Schema of the run's answer. */
  structure?: JsonObject | undefined;
  input: MessageRecord | null;
  /** Further fields of the input while its run is queued. */
  waiting?: Omit<QueuedInput, "message">;
  /** The parent thread's run whose call this run answers. */
  parentRunId?: string | null | undefined;
}

/** Makes the record of a run. Nothing is written yet. */
export function newRun(
  { live, deployment: { clock, settings } }: DeployedThread,
  { kind, limits, structure, input, waiting = {}, parentRunId = null }: NewRun,
): QueuedRun {
  const { branch, agent_id, last_position, counts } = live.record;
  return {
    id: live.uuids.next(),
    branch,
    status: "queued",
    kind,
    agent_id,
    created_at: clock.now(),
    started_at: null,
    ended_at: null,
    queued: { message: input, ...waiting },
    after_position: last_position,
    counts_before: counts,
    ...nothingDone(),
    limits,
    ...(structure === undefined ? {} : { structure }),
    parent_run_id: parentRunId,
    version: settings.version,
    stop: false,
    events: [],
    progress: null,
  };
}

/** The position in the queue: the end, after the inputs that join the active run, or the first one. */
export type QueuePosition = "last" | "steers" | "first";

/**
 * Writes a queued run. `also` makes further writes in the same transaction. A run in the first position interrupts the active run, so no
 * input joins the active run any more.
 */
export function enqueueRun(
  live: LiveThread,
  run: QueuedRun,
  { position = "last", also = () => {} }: { position?: QueuePosition; also?: () => void } = {},
): QueuedRun {
  const { queue } = live.record;
  const steers = countSteering(live.record);
  const at = { last: queue.run_ids.length, steers, first: 0 }[position];
  const run_ids = queue.run_ids.toSpliced(at, 0, run.id);
  return live.transaction(() => {
    const queued = { ...run, events: live.stage([{ type: "queue_changed", queued: run_ids }]) };
    live.store.insertRun(queued);
    live.change({ queue: { ...queue, run_ids, steering: { last: steers, steers: steers + 1, first: 0 }[position] } });
    also();
    live.save();
    return queued;
  });
}

/** How a run begins. */
export interface Beginning {
  trigger: EventOf<"run_start">["trigger"];
  /** The run has no row yet: it was not queued. */
  isNew: boolean;
}

/** Writes a run and its message when the run begins, and emits `run_start`. Returns the record. */
export function beginRun(context: DeployedThread, run: QueuedRun, { trigger, isNew }: Beginning): ExecutedRun {
  const { live } = context;
  const { clock } = context.deployment;
  const { queue } = live.record;
  const of = { run_id: run.id };
  const passed = beginOrder(queue, run.id);
  const { message } = run.queued;
  return live.transaction(() => {
    const earlier = branchEvents(live);
    const made = run.queued.branch === undefined ? null : makeBranch(live, run.queued.branch);
    const { agent_id, branch, last_position, counts } = live.record;
    const active = { status: "running" as const, active_run_id: run.id };
    const start = live.stage([
      // A queued run leaves the queue when it begins.
      ...(trigger === "queue" ? [{ type: "queue_changed" as const, queued: queue.run_ids }] : []),
      { type: "run_start", ...of, agent_id, kind: run.kind, trigger, parent_run_id: run.parent_run_id },
      ...(made === null ? [] : [{ ...made, ...of, thread: { ...made.thread, ...active } }]),
    ]);
    const begun: ExecutedRun = {
      ...run,
      agent_id,
      branch,
      status: "running",
      started_at: clock.now(),
      queued: null,
      after_position: last_position,
      counts_before: counts,
      events: [...run.events, ...earlier, ...start],
      progress: progressOf(run.queued),
      ...passed.run,
    };
    live.change({
      ...active,
      active_totals: null,
      queue: { ...queue, steering: 0, ...passed.queue },
      updated_at: clock.now(),
    });
    if (message !== null) live.insertWhole({ ...live.placed(message), run_id: run.id });
    if (isNew) live.store.insertRun(begun);
    else live.store.updateRun(begun);
    live.save();
    return begun;
  });
}

/**
 * The event of a change to another branch, for the row of the run that begins. If other runs wait, replay could not find it there, because
 * runs may begin in another order than they were admitted in: then the event gets a row of its own.
 */
function branchEvents(live: LiveThread): StoredEvent[] {
  const events = live.takeBranchEvent();
  if (live.record.queue.run_ids.length === 0) return events;
  for (const event of events) live.store.insertEvent(event);
  return [];
}

/** Makes a branch and changes the thread to it. Returns the event. */
function makeBranch(live: LiveThread, { parent, position }: NonNullable<QueuedInput["branch"]>): BranchChange {
  const id = live.uuids.next();
  live.store.insertBranch({ id, parent_branch: parent, fork_position: position, created_at: live.clock.now() });
  return switchBranch(live, id);
}

/** The progress of a run that begins. Its queued calls count as tried: if this run fails, no other run gets them. */
function progressOf({ calls, chain, trace }: QueuedInput): ExecutedRun["progress"] {
  return {
    ...noProgress(),
    ...(calls === undefined ? {} : { calls: calls.map((call): QueuedCall => ({ ...call, tried: true })) }),
    ...(chain === undefined ? {} : { chain }),
    ...(trace === undefined ? {} : { trace }),
  };
}

/** The number of runs at the head of the queue that are to join the active run. */
export function countSteering({ active_run_id, queue }: Pick<ThreadRecord, "active_run_id" | "queue">): number {
  return active_run_id === null ? 0 : queue.steering;
}

/**
 * Returns the fields that the run and the queue store if the run begins before one that was admitted earlier. Replay reads runs in the
 * order of their ids and needs these fields (`replay/replay.ts`). `run_ids` are the runs in the queue after this run.
 */
export function beginOrder(
  { run_ids, overtaker = "" }: Pick<QueueRecord, "run_ids" | "overtaker">,
  id: string,
): { run: Pick<RunRecord, "overtook" | "overtaken">; queue: Pick<QueueRecord, "overtaker"> } {
  const lowest = run_ids.reduce((least, waiting) => (waiting < least ? waiting : least), id);
  return {
    run: { ...(lowest < id ? { overtook: lowest } : {}), ...(id < overtaker ? { overtaken: overtaker } : {}) },
    queue: lowest < id && id > overtaker ? { overtaker: id } : {},
  };
}

/**
 * Writes the end of a run, its totals, and the messages to the catalog and the parent thread. Emits `run_end`. `messages` are the messages
 * of the run.
 */
export function finishRun(
  context: DeployedThread,
  run: ActiveRun,
  halted: { end: RunEnd; messages: readonly MessageRecord[] },
): EndedRun {
  const { live } = context;
  const { clock } = context.deployment;
  const { end } = halted;
  const { turns = 0, driven_ms = 0, paid = 0, requests = 0 } = run.progress;
  const work = workOf(halted.messages, { turns, driven_ms, paid, requests });
  const finished: EndedRun = {
    ...run,
    ...summary(halted.messages),
    work,
    status: end.status,
    ended_at: clock.now(),
    reason: end.reason,
    outcome: end.outcome ?? null,
    ...(end.data === undefined ? {} : { data: end.data }),
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
    live.markForCatalog(run.id);
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
  // Reasoning and plans are no answer to the user.
  const last = answers.findLast(({ strategy }) => strategy === undefined);
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
  const data = run.data === undefined ? {} : { data: run.data };
  return [...turn, { type: "run_end", ...of, status, reason, outcome, ...data, usage, cost, message_ids, error }];
}
