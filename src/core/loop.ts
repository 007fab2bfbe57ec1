// The loop: from where a line's rows end to its rest. One step is prepare, ask, keep, tools, commit; a strategy decides
// between steps what the next one asks. No clock, no fetch, no `this`: everything comes in through the ports.

import type { LimitReason } from "./limits/reached.ts";
import { TimeUp } from "./limits/time-up.ts";
import { isAnswer, isOnLine } from "./line.ts";
import { ask, reserve } from "./model/ask.ts";
import type { HeldShare, RetryPlace } from "./model/ask.ts";
import { spendingOf } from "./model/asked.ts";
import type { Asked } from "./model/asked.ts";
import type { ReachedLimit } from "./ports/limit-port.ts";
import type { RunPorts } from "./ports/run-ports.ts";
import type { NumberedPlan, StepProblem } from "./ports/step-port.ts";
import type { Decision, RunEnd, StepShape } from "./ports/strategy.ts";
import type { MessageRecord } from "./record.ts";
import { callsOf, isSettled, lastStep, nextStepNumber, progressOf, spend } from "./run-state.ts";
import type { OpenStep, Spending } from "./run-state.ts";
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
    const halt = haltOf(open, ports);
    if (halt !== null) return halt;
  }
  for (;;) {
    if (signal.aborted) return cut(timeUp(signal), ports);
    if (ports.stopAsked()) return { type: "end", end: { status: "stopped", reason: "stop_called" } };
    await ports.faults.at("loop.step");
    const halt = await (hasQueuedCalls(ports) && !tooManyQueued(ports)
      ? makeQueuedCalls(ports, signal)
      : nextStep(ports, signal));
    if (halt !== null) return halt;
  }
}

function isCommitted({ answer }: OpenStep, { committed, line }: RunPorts): boolean {
  return committed === undefined || (answer.step ?? 0) <= committed(line);
}

/** An answer that was kept although it never came to its end is the run's last, also when the run is taken up again. */
function haltOf({ answer }: OpenStep, ports: RunPorts): Halt | null {
  if (answer.stop_reason === "aborted") return cut(answer.failure?.limit, ports);
  return answer.stop_reason === "error" ? failedEnd(answer.failure ?? null) : null;
}

/** The limit that cut a run at work; none where somebody stopped it. */
function timeUp({ reason }: AbortSignal): LimitReason | undefined {
  return reason instanceof TimeUp ? reason.limit : undefined;
}

/** A run that was cut at its limit of time, or stopped. */
function cut(limit: LimitReason | undefined, ports: RunPorts): Halt {
  return limit === undefined ? { type: "end", end: stoppedEnd } : atLimit({ reason: limit, until: null }, ports);
}

/**
 * What becomes of a run that reached a limit. One that rests goes on at this place when the limit is raised, with the calls
 * that are still queued. One that ends has nothing put into its transcript (decision 21).
 */
function atLimit({ reason, until }: ReachedLimit, { run, line, strategy }: RunPorts): Halt {
  if (until !== null) return { type: "rest", until };
  // Calls that are still queued would begin a run of their own, with a budget of its own.
  if (line.depth === 0) run.calls = [];
  const turn = strategy.turn?.() ?? null;
  return { type: "end", end: { status: "limit", reason, ...(turn === null ? {} : { turn }) } };
}

/** Definitions queue calls for the run as a whole: its own line makes them. */
function hasQueuedCalls({ run: { calls = [] }, line }: RunPorts): boolean {
  return line.depth === 0 && calls.length > 0;
}

async function makeQueuedCalls(ports: RunPorts, signal: AbortSignal): Promise<Halt | null> {
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

const tooManyCalls: ReachedLimit = { reason: "max_steps", until: null };

/** Null when the run goes on. */
async function nextStep(ports: RunPorts, signal: AbortSignal): Promise<Halt | null> {
  const backsOff = ownRest(ports);
  if (backsOff !== null) return { type: "rest", until: backsOff };
  const steered = isSteered(ports);
  const progress = progressOf(ports.journal.messages, ports.line);
  await ports.faults.at("loop.decide");
  const decision: Decision = await ports.strategy.next(steered ? { ...progress, hasNewInput: true } : progress);
  // Calls that are queued still are more than the run may make, however its line would end.
  const isCut = hasQueuedCalls(ports);
  await ports.faults.at("loop.limits");
  const reached = decision.type === "end" && !isCut ? null : ((await ports.limits?.reached()) ?? null);
  // A message came, or was taken back, while somebody was asked.
  if (isSteered(ports) !== steered) return null;
  if (decision.type === "end" && !isCut) return { type: "end", end: decision };
  if (reached !== null || isCut || decision.type === "end") {
    // No step is left for who spoke up behind the end: the run is as complete as it would be without.
    await ports.faults.at("loop.unheard");
    const unheard = steered && !isCut ? await ports.strategy.next(progress) : null;
    if (unheard?.type !== "end") return atLimit(reached ?? tooManyCalls, ports);
    ports.run.at_limit = null;
    return { type: "end", end: unheard };
  }
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
  await ports.faults.at("loop.reserve");
  const reserved = await reserve(plan, from, { ports, signal });
  if ("limit" in reserved) return limitBetween(from, reserved.limit, { plan, ports });
  const share: HeldShare = { release: reserved.release };
  try {
    const { name } = plan.models[from.model] ?? plan.models[0];
    events.tell({ type: "step_start", model: name, attempt: from.attempt });
    const spendOn = (spending: Spending) => spend(ports.run, spending);
    await ports.faults.at("loop.ask");
    const asked = await ask(plan, { ports, events, signal, from, share, spend: spendOn });
    if (asked.type === "rest") return restInBackOff(asked, plan.step, ports);
    if (asked.type === "limit") return limitBetween(asked.at, asked.reached, { plan, ports });
    const context = { plan, ports, events, signal, share };
    await ports.faults.at("loop.keep");
    return await (asked.asked.failure === null ? keepAnswer(asked.asked, context) : keepPartial(asked.asked, context));
  } finally {
    // A loop that fails must give its share back, or other loops of the run would wait for it.
    share.release();
  }
}

/** The result of a limit that is reached before a request is sent. A run that waits there continues with that request. */
function limitBetween(
  place: RetryPlace,
  reached: ReachedLimit,
  { plan, ports }: { plan: NumberedPlan; ports: RunPorts },
): Halt {
  keepRetry(place, { step: plan.step, at: ports.clock.now() }, ports);
  return atLimit(reached, ports);
}

/** The context for storing an answer. The request's share is given back when the answer is counted. */
type AskedContext = StepContext & { signal: AbortSignal; share: HeldShare };

/** Stores the answer, runs its calls, writes the step's row; rests where a call's answer comes from elsewhere. */
async function keepAnswer(asked: Asked, context: AskedContext): Promise<Halt | null> {
  const { ports } = context;
  asked.answer.start();
  await ports.faults.at("loop.keep-answer");
  const answer = await storeAnswer(asked, asked.answer.closed(), context);
  spend(ports.run, spendingOf(asked));
  // The share is given back before the calls run, because their model requests need the remaining budget.
  context.share.release();
  await ports.faults.at("loop.run-calls");
  const ran = await runCalls(callsOf(answer), [], { ...context, skippable: true });
  await ports.faults.at("loop.commit-answer");
  await commitAsked(asked, { ...ran, answer }, context);
  return ran.restsUntil === null ? null : { type: "rest", until: ran.restsUntil };
}

/** A stop, the end of the run's time, or a final failure: what was shown is kept, without calls, and the run ends (decision 20). */
async function keepPartial(asked: Asked, context: AskedContext): Promise<Halt> {
  const { ports } = context;
  const stopped = asked.failure?.kind === "aborted";
  const limit = timeUp(context.signal);
  if (asked.answer.shown) {
    await ports.faults.at("loop.keep-partial");
    await storeAnswer({ ...asked, limit }, asked.answer.partial(), context);
  }
  spend(ports.run, spendingOf(asked));
  context.share.release();
  await ports.faults.at("loop.commit-partial");
  await commitAsked(asked, { settled: [], warnings: [], restsUntil: null, answer: null }, context);
  return stopped ? cut(limit, ports) : failedEnd(asked.failure);
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
  keepRetry(at, { step, at: until }, ports);
  return { type: "rest", until };
}

/** Where the line's request goes on, and not before `at` (microseconds). */
function keepRetry(place: RetryPlace, { step, at }: { step: number; at: number }, { run, line }: RunPorts): void {
  if (line.parent_id === null) run.retry = { step, ...place };
  else run.nested_retries = { ...run.nested_retries, [line.parent_id]: { step, ...place, at } };
}

function planFailed({ problem }: StepProblem): Halt {
  return { type: "end", end: { status: "error", reason: problem.code, error: problem } };
}
