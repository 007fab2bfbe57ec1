// Writes the rows of a step: the message row of its answer, and the log row that ends the step when all its calls have results. A step
// that is suspended before that gets its log row at once, and a second one at its end.

import type { JsonObject } from "#contract/json.ts";

import { zeroWork } from "../limits/used.ts";
import { attemptLog, durationFields, scopeFields } from "../model/attempt-log.ts";
import { stopReasonOf } from "../model/request-answer.ts";
import type { AttemptResult } from "../model/request-answer.ts";
import type { ModelFinish } from "../ports/model-port.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { NumberedPlan } from "../ports/step-port.ts";
import type { FinishedStep, StepEffects } from "../ports/strategy-port.ts";
import { fitLog } from "../record/fit-log.ts";
import { stepMessage, strategyMark } from "../record/message-draft.ts";
import type { MessageRecord, StoredPart } from "../record/record.ts";
import { outcomeOf, stepOf, totalsOf } from "../record/run-state.ts";
import { toMessage } from "../record/view.ts";
import type { CallPlan, SettledCall } from "../tools/call-slot.ts";
import type { StepCallResults } from "../tools/run-calls.ts";
import { keepContext } from "./keep-context.ts";
import { RowEvents } from "./row-events.ts";

/** A step and the ports that its rows are written with. */
export interface StepContext<Plan = NumberedPlan> {
  plan: Plan;
  ports: RunPorts;
  events: RowEvents;
}

/** The events of a step's rows. */
export function stepEvents(plan: Pick<CallPlan, "step" | "side" | "depth">, { run, sink, scope }: RunPorts): RowEvents {
  const { step, side, depth } = plan;
  const under = scope.parent_id === null ? {} : { parent_id: scope.parent_id };
  return new RowEvents(sink, { run_id: run.id, step, side, depth, ...under });
}

/** Makes the message of an answer, runs the hooks, and stores it with its events. */
export async function storeAnswer(
  result: AttemptResult,
  parts: StoredPart[],
  { plan, ports, events }: StepContext,
): Promise<MessageRecord> {
  await ports.faults.at("answer.keep-pictures");
  const kept = (await ports.answers?.keepMedia(parts)) ?? parts;
  const draft = answerMessage(result, kept, { plan, ports });
  await ports.faults.at("answer.before-create");
  const message = await ports.hooks.beforeCreateMessage(draft);
  const { continuations } = result;
  return appendAnswer(message, { ports, events }, (stored) => {
    ports.journal.append(stored);
    // The message counts the requests that continued the answer, also after a crash.
    const { progress } = ports.run;
    if (continuations > 0 && progress.requests !== undefined) progress.requests -= continuations;
  });
}

/** Stores the message of an answer, and sends its events after the row is written. */
export async function appendAnswer(
  message: MessageRecord,
  { ports, events }: Pick<StepContext, "ports" | "events">,
  write: (stored: MessageRecord) => void = (stored) => ports.journal.append(stored),
): Promise<MessageRecord> {
  const hidden = message.strategy === undefined ? {} : { silent: true as const };
  events.stage({ type: "message_end", message_id: message.id, ...hidden, message: toMessage(message) });
  const stored = { ...message, events: events.take() };
  write(stored);
  events.release();
  await ports.faults.at("answer.after-create");
  await ports.hooks.afterCreateMessage(stored);
  return stored;
}

/**
 * Writes the log row of a step's last attempt. The row ends the step, with `step_end`, unless one of the step's calls waits. `answer` is
 * null for a failed attempt.
 */
export async function writeAttempt(
  result: AttemptResult,
  { settled, warnings, suspendedUntil, answer }: StepCallResults & { answer: MessageRecord | null },
  { plan, ports, events }: StepContext,
): Promise<void> {
  const isOver = suspendedUntil === null;
  let effects: RecordedEffects = {};
  if (isOver) {
    const { usage, cost } = result;
    const totals = totalsOf(ports.run, ports.journal.messages);
    events.stage({ type: "step_end", usage, stop_reason: stopReasonOf(result), cost, totals });
    if (answer !== null) {
      await ports.faults.at("step.finish-asked");
      effects = await strategyEffects(answer, ports, events);
    }
  }
  // The calls of a suspended step are logged in the row that ends the step.
  const tools = isOver ? settled.map(toolTrace) : [];
  const session = isOver ? effects.state : ports.strategy.memory?.();
  const all = [...warnings, ...(effects.warnings ?? [])];
  const trace = { plan, ports, events: events.take(), tools, warnings: all, session };
  ports.journal.log?.(attemptLog(result, trace), effects.agent);
  events.release();
}

/** Writes the log row that ends a step whose attempt has a row already, or that has no model request. */
export async function writeStepEnd(
  answer: MessageRecord,
  { settled, warnings: ofCalls }: StepCallResults,
  { plan, ports, events }: StepContext<CallPlan>,
): Promise<void> {
  await ports.faults.at("step.finish-called");
  const effects = await strategyEffects(answer, ports, events);
  const warnings = [...(plan.warnings ?? []), ...ofCalls, ...(effects.warnings ?? []), ...keepContext(ports)];
  const stopAsked = ports.stopAsked() ? { stop_asked: true } : {};
  const session = effects.state === undefined ? {} : { session: effects.state };
  const stored = events.take();
  ports.journal.log?.(
    fitLog({
      id: ports.ids.ordered(),
      type: "tool_call",
      run_id: ports.run.id,
      parent_id: null,
      depth: plan.depth,
      created_at: ports.clock.now(),
      data: {
        step: plan.step,
        ...scopeFields(ports),
        message_id: answer.id,
        tools: settled.map(toolTrace),
        warnings,
        context: ports.run.progress.context,
        ...durationFields(ports),
        ...session,
        ...stopAsked,
      },
      events: stored,
    }),
    effects.agent,
  );
  events.release();
}

/** The parts of a strategy's effects that the step's row stores. */
type RecordedEffects = Pick<StepEffects, "agent" | "warnings"> & { state?: StepEffects["state"] };

/**
 * Passes the finished step to the strategy, and stores the strategy's events in the step's last row. Call it once for each step, just
 * before that row is written.
 */
async function strategyEffects(answer: MessageRecord, ports: RunPorts, events: RowEvents): Promise<RecordedEffects> {
  const { strategy, journal, run, scope } = ports;
  if (strategy.finishStep === undefined) return {};
  const later = journal.messages.filter(({ position }) => position > answer.position);
  const outcome = outcomeOf(stepOf(answer, later));
  const hasQueuedCalls = scope.depth === 0 && (run.progress.calls ?? []).length > 0;
  const fromModel = answer.model !== null;
  await ports.faults.at("step.tell-strategy");
  const effects = await strategy.finishStep({ ...outcome, fromModel, handoff: handoffIn(later), hasQueuedCalls });
  for (const event of effects.events) events.stage(event);
  const { state, agent, warnings = [] } = effects;
  return { state, agent, warnings };
}

/** The last call of the step, or of a loop below it, that handed the thread to another agent (decision 10: sub-prompts). */
function handoffIn(later: readonly MessageRecord[]): FinishedStep["handoff"] {
  const call = later.findLast((message) => message.handoff !== undefined);
  if (call?.handoff === undefined) return null;
  return { agent: call.handoff, tool_call_id: call.tool_call_id ?? "" };
}

/** The log entry of a call. */
function toolTrace({ call, message, result, duration_ms, stack }: SettledCall): JsonObject {
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

/** The message of an answer, before hooks. `stop_reason` shows whether the answer is partial. */
function answerMessage(
  result: AttemptResult,
  parts: StoredPart[],
  { plan, ports }: { plan: NumberedPlan; ports: RunPorts },
): MessageRecord {
  const { answer, times, failure, limit } = result;
  const { messageId: id, finish } = answer;
  const { started_at: at, ended_at: updated_at } = times;
  return {
    ...stepMessage(ports, plan, { id, role: plan.role, parts, metadata: sourcesMetadata(finish), at }),
    ...(plan.silent === true ? strategyMark(ports.strategy, plan.phase) : {}),
    stop_reason: stopReasonOf(result),
    ...(failure === null ? finishFields(finish) : {}),
    model: result.model.name,
    usage: result.usage,
    cost: result.cost,
    ...(result.continuations === 0 ? {} : { work: { ...zeroWork, requests: result.continuations } }),
    ...(failure === null
      ? {}
      : { failure: { kind: failure.kind, message: failure.message, ...(limit === undefined ? {} : { limit }) } }),
    updated_at,
  };
}

function finishFields(finish: ModelFinish | null): Pick<MessageRecord, "stop_detail" | "has_other_content"> {
  const { stop_detail, has_other_content } = finish ?? {};
  return {
    ...(stop_detail === undefined ? {} : { stop_detail }),
    ...(has_other_content === undefined ? {} : { has_other_content }),
  };
}

/** The sources that an answer cites, as metadata of its message. */
function sourcesMetadata(finish: ModelFinish | null): JsonObject {
  const sources = finish?.sources ?? [];
  return sources.length === 0 ? {} : { sources: sources.map((source) => ({ ...source })) };
}
