// Writes a step down: the answer when it is there, the step's row when its calls have their results. A step that rests is
// logged when it begins to rest, and its end is written by whoever resumes it.

import type { JsonObject } from "#contract/json.ts";

import type { EventList } from "../event-list.ts";
import { answerRecord } from "../model/answer-record.ts";
import { stopReasonOf } from "../model/asked.ts";
import type { Asked } from "../model/asked.ts";
import { attemptLog } from "../model/attempt-log.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { NumberedPlan } from "../ports/step-port.ts";
import type { MessageRecord } from "../record.ts";
import { totalsOf } from "../run-state.ts";
import type { SettledCall } from "../tools/call-slot.ts";
import type { RanCalls } from "../tools/run-calls.ts";
import { toMessage } from "../view.ts";
import { finishStep } from "./finish-step.ts";

/** What writing a step needs. */
export interface StepContext {
  plan: NumberedPlan;
  ports: RunPorts;
  events: EventList;
}

/** Stores an answer, hooks around it. */
export async function storeAnswer(
  asked: Asked,
  parts: MessageRecord["parts"],
  { plan, ports, events }: StepContext,
): Promise<MessageRecord> {
  await ports.faults.at("answer.keep-pictures");
  const kept = (await ports.answers?.keepPictures(parts)) ?? parts;
  const draft = answerRecord(asked, kept, { plan, ports });
  await ports.faults.at("answer.before-create");
  const record = await ports.hooks.beforeCreateMessage(draft);
  return appendAnswer(record, { ports, events });
}

/** Writes an answer and tells its end. */
export async function appendAnswer(
  record: MessageRecord,
  { ports, events }: Pick<StepContext, "ports" | "events">,
  write: (stored: MessageRecord) => void = (stored) => ports.journal.append(stored),
): Promise<MessageRecord> {
  events.stage({ type: "message_end", message_id: record.id, message: toMessage(record) });
  const stored = { ...record, events: events.take() };
  write(stored);
  events.release();
  await ports.faults.at("answer.after-create");
  await ports.hooks.afterCreateMessage(stored);
  return stored;
}

/** Writes the row of a step whose model was asked, and tells its end. `answer` is null where none could be finished. */
export async function commitAsked(
  asked: Asked,
  { settled, warnings, restsUntil, answer }: RanCalls & { answer: MessageRecord | null },
  { plan, ports, events }: StepContext,
): Promise<void> {
  let effects: Awaited<ReturnType<typeof finishStep>> = {};
  if (restsUntil === null) {
    const { usage, cost } = asked;
    const totals = totalsOf(ports.run, ports.journal.messages);
    events.stage({ type: "step_end", usage, stop_reason: stopReasonOf(asked), cost, totals });
    if (answer !== null) {
      await ports.faults.at("step.finish-asked");
      effects = await finishStep(answer, ports, events);
    }
  }
  // A step that rests is not over: its calls are logged with its end.
  const tools = restsUntil === null ? settled.map(toolTrace) : [];
  const session = restsUntil === null ? effects.state : ports.strategy.memory?.();
  const trace = { plan, ports, events: events.take(), tools, warnings, session };
  ports.journal.log(attemptLog(asked, trace), effects.agent);
  events.release();
}

/** A call as the step's row logs it. */
export function toolTrace({ call, message, result, duration_ms, stack }: SettledCall): JsonObject {
  return {
    id: call.id,
    name: call.name,
    message_id: message.id,
    is_error: result.status === "error",
    duration_ms,
    at: message.created_at,
    ...(stack === undefined ? {} : { stack }),
  };
}
