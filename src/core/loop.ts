// The loop: from where a line's rows end to its rest. One step is prepare, ask, keep, tools, commit; a strategy decides
// between steps what the next one asks. No clock, no fetch, no `this`: everything comes in through the ports.

import { isAnswer, isOnLine } from "./line.ts";
import { ask } from "./model/ask.ts";
import type { RetryPlace } from "./model/ask.ts";
import { spendingOf } from "./model/asked.ts";
import type { Asked } from "./model/asked.ts";
import type { RunPorts } from "./ports/run-ports.ts";
import type { NumberedPlan, StepProblem } from "./ports/step-port.ts";
import type { Decision, RunEnd, StepShape } from "./ports/strategy.ts";
import type { MessageRecord } from "./record.ts";
import { callsOf, isSettled, lastStep, nextStepNumber, progressOf, spend } from "./run-state.ts";
import type { OpenStep } from "./run-state.ts";
import { commitAsked, storeAnswer } from "./step/commit.ts";
import type { StepContext } from "./step/commit.ts";
import { queuedStep } from "./step/queued-step.ts";
import { resumeStep } from "./step/resume-step.ts";
import { isSteered } from "./step/steer.ts";
import { stepEvents } from "./step/step-events.ts";
import { runCalls } from "./tools/run-calls.ts";

/** How a drive of the loop came to a halt: the run is over, or rests until `until` (microseconds). */
export type Halt = { type: "end"; end: RunEnd } | { type: "rest"; until: number };

const stoppedEnd: RunEnd = { status: "stopped", reason: "stopped" };

/**
 * Drives a line until it ends or rests. Contract: rejects only for a bug or a failing store; model and tool failures end up
 * in messages, logs and the returned end.
 */
export async function run(ports: RunPorts, signal: AbortSignal): Promise<Halt> {
  const open = lastStep(ports.journal.messages, ports.line);
  if (open !== null) {
    await ports.faults.at("loop.resume");
    const until = isSettled(open) && isCommitted(open, ports) ? null : await resumeStep(open, ports, signal);
    if (until !== null) return { type: "rest", until };
    const halt = haltOf(open);
    if (halt !== null) return halt;
  }
  for (;;) {
    if (signal.aborted) return { type: "end", end: stoppedEnd };
    if (ports.stopAsked()) return { type: "end", end: { status: "stopped", reason: "stop_called" } };
    await ports.faults.at("loop.step");
    const halt = await (hasQueuedCalls(ports) ? makeQueuedCalls(ports, signal) : nextStep(ports, signal));
    if (halt !== null) return halt;
  }
}

function isCommitted({ answer }: OpenStep, { committed, line }: RunPorts): boolean {
  return committed === undefined || (answer.step ?? 0) <= committed(line);
}

/** An answer that was kept although it never came to its end is the run's last, also when the run is taken up again. */
function haltOf({ answer }: OpenStep): Halt | null {
  if (answer.stop_reason === "aborted") return { type: "end", end: stoppedEnd };
  return answer.stop_reason === "error" ? failedEnd(answer.failure ?? null) : null;
}

/** Definitions queue calls for the run as a whole: its own line makes them. */
function hasQueuedCalls({ run: { calls = [] }, line }: RunPorts): boolean {
  return line.depth === 0 && calls.length > 0;
}

async function makeQueuedCalls(ports: RunPorts, signal: AbortSignal): Promise<Halt | null> {
  if (tooManyQueued(ports)) {
    ports.run.calls = [];
    return { type: "end", end: { status: "limit", reason: "max_steps" } };
  }
  await ports.faults.at("loop.queued");
  const done = await queuedStep(ports, signal);
  if (done === null) return null;
  return "problem" in done ? planFailed(done) : { type: "rest", until: done.until };
}

/** Steps of queued calls that a run makes: a call that queues itself has to end. */
const queuedStepLimit = 100;

function tooManyQueued({ journal, run, line }: RunPorts): boolean {
  const made = journal.messages.filter((message) => isAnswer(message) && isOnLine(line, message));
  const queued = made.filter(({ model }) => model === null).length;
  const limit = run.limits?.steps;
  return queued >= queuedStepLimit || (typeof limit === "number" && made.length >= limit);
}

/** Null when the run goes on. */
async function nextStep(ports: RunPorts, signal: AbortSignal): Promise<Halt | null> {
  const backsOff = ownRest(ports);
  if (backsOff !== null) return { type: "rest", until: backsOff };
  const steered = isSteered(ports);
  const progress = progressOf(ports.journal.messages, ports.line);
  await ports.faults.at("loop.decide");
  const decision: Decision = await ports.strategy.next(steered ? { ...progress, heard: true } : progress);
  // A message came, or was taken back, while the strategy was asked.
  if (isSteered(ports) !== steered) return null;
  if (decision.type === "end") return { type: "end", end: decision };
  if (steered) ports.steering?.join();
  return step(decision.shape ?? {}, ports, signal);
}

async function step(shape: StepShape, ports: RunPorts, signal: AbortSignal): Promise<Halt | null> {
  await ports.faults.at("loop.plan");
  const planned = await ports.steps.plan(shape, signal);
  if ("problem" in planned) return planFailed(planned);
  const plan: NumberedPlan = { ...planned, step: nextStepNumber(ports.journal.messages, ports.line) };
  const events = stepEvents(plan, ports);
  const from = retryPlace(plan.step, ports);
  const { name } = plan.models[from.model] ?? plan.models[0];
  events.tell({ type: "step_start", model: name, attempt: from.attempt });
  await ports.faults.at("loop.ask");
  const asked = await ask(plan, {
    ports,
    events,
    signal,
    from,
    spend: (spending) => spend(ports.run, spending),
  });
  if (asked.type === "rest") return restInBackOff(asked, plan.step, ports);
  return asked.asked.failure === null
    ? keepAnswer(asked.asked, { plan, ports, events, signal })
    : keepPartial(asked.asked, { plan, ports, events });
}

/** Stores the answer, runs its calls, writes the step's row; rests where a call's answer comes from elsewhere. */
async function keepAnswer(asked: Asked, context: StepContext & { signal: AbortSignal }): Promise<Halt | null> {
  const { ports } = context;
  asked.answer.start();
  await ports.faults.at("loop.keep-answer");
  const answer = await storeAnswer(asked, asked.answer.closed(), context);
  spend(ports.run, spendingOf(asked));
  await ports.faults.at("loop.run-calls");
  const ran = await runCalls(callsOf(answer), [], { ...context, skippable: true });
  await ports.faults.at("loop.commit-answer");
  await commitAsked(asked, { ...ran, answer }, context);
  return ran.restsUntil === null ? null : { type: "rest", until: ran.restsUntil };
}

/** A stop or a final failure: what was shown is kept, without calls, and the run ends (decision 20). */
async function keepPartial(asked: Asked, context: StepContext): Promise<Halt> {
  const { ports } = context;
  const stopped = asked.failure?.kind === "aborted";
  if (asked.answer.shown) {
    await ports.faults.at("loop.keep-partial");
    await storeAnswer(asked, asked.answer.partial(), context);
  }
  spend(ports.run, spendingOf(asked));
  await ports.faults.at("loop.commit-partial");
  await commitAsked(asked, { settled: [], warnings: [], restsUntil: null, answer: null }, context);
  return stopped ? { type: "end", end: stoppedEnd } : failedEnd(asked.failure);
}

function failedEnd(failure: MessageRecord["failure"] | null): Halt {
  const { kind, message } = failure ?? { kind: "api", message: "The model failed." };
  return { type: "end", end: { status: "error", reason: kind, error: { code: kind, message } } };
}

/** Where the step's request goes on. A place of another step of this line is one that a crash left behind. */
function retryPlace(step: number, ports: RunPorts): RetryPlace {
  const retry = takeRetry(ports);
  return retry?.step === step ? { model: retry.model, attempt: retry.attempt } : { model: 0, attempt: 1 };
}

/** The run may have been woken for another line's sake: until when this one backs off still (microseconds). */
function ownRest({ run, line: { parent_id }, clock }: RunPorts): number | null {
  const until = parent_id === null ? undefined : run.nested_retries?.[parent_id]?.at;
  return until !== undefined && until > clock.now() ? until : null;
}

/** Lines that back off side by side have a place each. */
function takeRetry({ run, line: { parent_id } }: RunPorts): (RetryPlace & { step: number }) | null {
  if (parent_id === null) {
    const { retry } = run;
    run.retry = null;
    return retry;
  }
  const { [parent_id]: own, ...others } = run.nested_retries ?? {};
  run.nested_retries = others;
  return own ?? null;
}

function restInBackOff({ until, at }: { until: number; at: RetryPlace }, step: number, ports: RunPorts): Halt {
  const { run, line } = ports;
  if (line.parent_id === null) run.retry = { step, ...at };
  else run.nested_retries = { ...run.nested_retries, [line.parent_id]: { step, ...at, at: until } };
  return { type: "rest", until };
}

function planFailed({ problem }: StepProblem): Halt {
  return { type: "end", end: { status: "error", reason: problem.code, error: problem } };
}
