// What a step comes to once its calls have their results: told to the strategy, which may end a turn or hand the thread to
// another agent, and whose memory is written with the step's row.

import type { EventList } from "../event-list.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { FinishedStep, StepEffects } from "../ports/strategy.ts";
import type { MessageRecord } from "../record.ts";
import { outcomeOf, stepOf } from "../run-state.ts";

/** What the row records of it. */
export type RecordedEffects = Pick<StepEffects, "agent"> & { state?: StepEffects["state"] };

/** Tells the strategy and stages its events. Call it once a step, right before the row is written. */
export async function finishStep(answer: MessageRecord, ports: RunPorts, events: EventList): Promise<RecordedEffects> {
  const { strategy, journal, run, line } = ports;
  if (strategy.finished === undefined) return {};
  const behind = journal.messages.filter(({ position }) => position > answer.position);
  const outcome = outcomeOf(stepOf(answer, behind));
  const more = line.depth === 0 && (run.calls ?? []).length > 0;
  const asked = answer.model !== null;
  await ports.faults.at("step.tell-strategy");
  const effects = await strategy.finished({ ...outcome, asked, handoff: handoffIn(behind), more });
  for (const event of effects.events) events.stage(event);
  return { state: effects.state, agent: effects.agent };
}

/** The last call that handed the thread over, in the step or in a loop under it (decision 10). */
function handoffIn(behind: readonly MessageRecord[]): FinishedStep["handoff"] {
  const call = behind.findLast((message) => message.handoff !== undefined);
  if (call?.handoff === undefined) return null;
  return { agent: call.handoff, tool_call_id: call.tool_call_id ?? "" };
}
