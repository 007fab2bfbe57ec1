// The loop: from where the run's rows end to its rest. One step is prepare, ask, keep, tools, commit; a strategy decides
// between steps what the next one asks. No clock, no fetch, no `this`: everything comes in through the ports.

import type { JsonObject } from "#contract/json.ts";
import { zeroUsage } from "#contract/usage.ts";

import { EventList } from "./event-list.ts";
import { fitLog } from "./fit-log.ts";
import { keepContext } from "./keep-context.ts";
import { answerRecord } from "./model/answer-record.ts";
import { ask } from "./model/ask.ts";
import type { RetryPlace } from "./model/ask.ts";
import { spendingOf, stopReasonOf } from "./model/asked.ts";
import type { Asked } from "./model/asked.ts";
import { attemptLog } from "./model/attempt-log.ts";
import type { RunPorts } from "./ports/run-ports.ts";
import type { NumberedPlan, StepProblem } from "./ports/step-port.ts";
import type { Decision, RunEnd, StepShape } from "./ports/strategy.ts";
import type { MessageRecord } from "./record.ts";
import { callsOf, isSettled, lastStep, progressOf, spend } from "./run-state.ts";
import type { OpenStep } from "./run-state.ts";
import type { CallPlan, SettledCall } from "./tools/call-slot.ts";
import { runCalls } from "./tools/run-calls.ts";
import type { RanCalls } from "./tools/run-calls.ts";
import { toMessage } from "./view.ts";

/** How a drive of the loop came to a halt: the run is over, or rests until `until` (microseconds). */
export type Halt = { type: "end"; end: RunEnd } | { type: "rest"; until: number };

const stoppedEnd: RunEnd = { status: "stopped", reason: "stopped" };

/**
 * Drives a run until it ends or rests. Contract: rejects only for a bug or a failing store; model and tool failures end up
 * in messages, logs and the returned end.
 */
export async function run(ports: RunPorts, signal: AbortSignal): Promise<Halt> {
  const open = lastStep(ports.journal.messages, 0);
  if (open !== null) {
    if (!isSettled(open) || !isCommitted(open, ports)) await resumeStep(open, ports, signal);
    const halt = haltOf(open);
    if (halt !== null) return halt;
  }
  for (;;) {
    if (signal.aborted) return { type: "end", end: stoppedEnd };
    const decision = await decide(ports);
    if (decision.type === "end") return { type: "end", end: decision };
    const halt = await step(decision.shape ?? {}, ports, signal);
    if (halt !== null) return halt;
  }
}

function isCommitted({ answer }: OpenStep, { committed }: RunPorts): boolean {
  return committed === undefined || (answer.step ?? 0) <= committed;
}

/** An answer that was kept although it never came to its end is the run's last, also when the run is taken up again. */
function haltOf({ answer }: OpenStep): Halt | null {
  if (answer.stop_reason === "aborted") return { type: "end", end: stoppedEnd };
  return answer.stop_reason === "error" ? failedEnd(null) : null;
}

async function decide(ports: RunPorts): Promise<Decision> {
  if (ports.stopAsked()) return { type: "end", status: "stopped", reason: "stop_called" };
  return ports.strategy.next(progressOf(ports.journal.messages, 0));
}

/** One step. Null when the run goes on. */
async function step(shape: StepShape, ports: RunPorts, signal: AbortSignal): Promise<Halt | null> {
  const made = progressOf(ports.journal.messages, 0).steps;
  const plan = await numberedPlan(made + 1, shape, { ports, signal });
  if ("problem" in plan) return planFailed(plan);
  const events = stepEvents(plan, ports);
  const from = retryPlace(plan.step, ports);
  const { name } = plan.models[from.model] ?? plan.models[0];
  events.tell({ type: "step_start", model: name, attempt: from.attempt });
  const asked = await ask(plan, {
    ports,
    events,
    signal,
    from,
    spend: (spending) => spend(ports.run, spending),
  });
  if (asked.type === "rest") return rest(asked, plan.step, ports);
  return asked.asked.failure === null
    ? keepAnswer(asked.asked, { plan, ports, events, signal })
    : keepPartial(asked.asked, { plan, ports, events });
}

interface StepContext {
  plan: NumberedPlan;
  ports: RunPorts;
  events: EventList;
}

/** Stores the answer, runs its calls, writes the step's row. */
async function keepAnswer(asked: Asked, context: StepContext & { signal: AbortSignal }): Promise<Halt | null> {
  const { ports, events } = context;
  asked.answer.start();
  const answer = await storeAnswer(asked, asked.answer.closed(), context);
  spend(ports.run, spendingOf(asked));
  commitStep(asked, await runCalls(callsOf(answer), [], context), context);
  events.release();
  return null;
}

/** A stop or a final failure: what was shown is kept, without calls, and the run ends (decision 20). */
async function keepPartial(asked: Asked, context: StepContext): Promise<Halt> {
  const { ports, events } = context;
  const stopped = asked.failure?.kind === "aborted";
  if (asked.answer.shown) await storeAnswer(asked, asked.answer.partial(), context);
  spend(ports.run, spendingOf(asked));
  commitStep(asked, { settled: [], warnings: [] }, context);
  events.release();
  return stopped ? { type: "end", end: stoppedEnd } : failedEnd(asked.failure);
}

function failedEnd(failure: Asked["failure"]): Halt {
  const { kind, message } = failure ?? { kind: "api", message: "The model failed." };
  return { type: "end", end: { status: "error", reason: kind, error: { code: kind, message } } };
}

async function storeAnswer(
  asked: Asked,
  parts: MessageRecord["parts"],
  { plan, ports, events }: StepContext,
): Promise<MessageRecord> {
  const draft = answerRecord(asked, parts, { plan, ports });
  const record = await ports.hooks.beforeCreateMessage(draft);
  await ports.faults.at("answer.store");
  events.stage({
    type: "message_end",
    message_id: record.id,
    message: toMessage(record),
  });
  const stored = { ...record, events: events.take() };
  ports.journal.append(stored);
  events.release();
  await ports.hooks.afterCreateMessage(stored);
  return stored;
}

function commitStep(asked: Asked, { settled, warnings }: RanCalls, context: StepContext): void {
  const { ports, events, plan } = context;
  events.stage({
    type: "step_end",
    usage: asked.usage,
    stop_reason: stopReasonOf(asked),
    cost: asked.cost,
  });
  const tools = settled.map(toolTrace);
  ports.journal.log(attemptLog(asked, { plan, ports, events: events.take(), tools, warnings }));
}

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

/**
 * Ends the step that a crash cut behind its answer: open calls are answered, settled ones are used again and told again
 * (architecture §5.4), and the step's end is told.
 */
async function resumeStep(open: OpenStep, ports: RunPorts, signal: AbortSignal): Promise<void> {
  const { answer } = open;
  const step = answer.step ?? 1;
  const planned = await numberedPlan(step, {}, { ports, signal });
  // Without a plan nothing can run, but every call still has its result.
  const plan: CallPlan =
    "problem" in planned
      ? { step, side: answer.side ?? "a", depth: answer.depth, tools: new Map(), toolMode: "sequential" }
      : planned;
  const events = stepEvents(plan, ports);
  const { settled, warnings: odd } = await runCalls(open.calls, open.results, { plan, ports, events, signal });
  const { usage, stop_reason, cost } = answer;
  events.stage({ type: "step_end", usage: usage ?? zeroUsage, stop_reason, cost });
  const warnings = [...odd, ...keepContext(ports)];
  const { context } = ports.run;
  ports.journal.log(
    fitLog({
      id: ports.ids.ordered(),
      type: "recovery",
      run_id: ports.run.id,
      parent_id: null,
      depth: plan.depth,
      created_at: ports.clock.now(),
      data: { step, what: "open_calls", tools: settled.map(toolTrace), warnings, context },
      events: events.take(),
    }),
  );
  events.release();
}

/** Where the step's request goes on. A place of another step is one that a crash left behind. */
function retryPlace(step: number, { run }: RunPorts): RetryPlace {
  const { retry } = run;
  run.retry = null;
  return retry?.step === step ? { model: retry.model, attempt: retry.attempt } : { model: 0, attempt: 1 };
}

function rest({ until, at }: { until: number; at: RetryPlace }, step: number, ports: RunPorts): Halt {
  ports.run.retry = { step, ...at };
  ports.run.resume_at = until;
  return { type: "rest", until };
}

async function numberedPlan(
  step: number,
  shape: StepShape,
  { ports, signal }: { ports: RunPorts; signal: AbortSignal },
): Promise<NumberedPlan | StepProblem> {
  const plan = await ports.steps.plan(shape, signal);
  return "problem" in plan ? plan : { ...plan, step };
}

function planFailed({ problem }: StepProblem): Halt {
  return { type: "end", end: { status: "error", reason: problem.code, error: problem } };
}

function stepEvents(plan: CallPlan, ports: RunPorts): EventList {
  const { run, sink } = ports;
  const context = { run_id: run.id, step: plan.step, side: plan.side, depth: plan.depth };
  return new EventList(sink, context);
}
