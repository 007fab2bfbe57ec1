// The loop: executes a run, or the nested loop of a sub-prompt, until it ends or is suspended. One step is: prepare, request the answer,
// store it, run its calls, write the step's row. The strategy decides between steps. All dependencies are ports, and all state is in
// rows, so an interrupted run continues after its last row.

import type { LimitReason } from "./limits/reached.ts";
import { TimeLimitReached } from "./limits/time-limit-reached.ts";
import { attemptLog } from "./model/attempt-log.ts";
import { requestAnswer, reserve, usageOf } from "./model/request-answer.ts";
import type { AttemptResult } from "./model/request-answer.ts";
import type { RetryPosition } from "./ports/compaction-port.ts";
import type { ReachedLimit, ReservedShare } from "./ports/limit-port.ts";
import type { RunPorts } from "./ports/run-ports.ts";
import { isSteered } from "./ports/steering.ts";
import type { NumberedPlan, StepProblem } from "./ports/step-port.ts";
import type { Decision, RunEnd, StepShape } from "./ports/strategy-port.ts";
import type { MessageRecord } from "./record/record.ts";
import { callsOf, isSettled, lastStep, nextStepNumber, progressOf, addModelUsage } from "./record/run-state.ts";
import type { OpenStep, ModelUsage } from "./record/run-state.ts";
import { isAnswer, isInScope } from "./record/scope.ts";
import { allowedCalls, queuedStep, resumeStep } from "./step/call-step.ts";
import { hookStep, hookStepEnd } from "./step/hook-step.ts";
import { storeInstruction } from "./step/instruction.ts";
import { stepEvents, storeAnswer, writeAttempt } from "./step/step-rows.ts";
import type { StepContext } from "./step/step-rows.ts";
import { runCalls } from "./tools/run-calls.ts";

/** Why the loop returned: the run is over, or it is suspended until `until` (microseconds). */
export type Halt = { type: "end"; end: RunEnd } | { type: "suspend"; until: number };

/** The end of a loop that a hook stopped. */
export const stoppedByHook: RunEnd = { status: "stopped", reason: "stopped_by_hook" };

const stoppedEnd: RunEnd = { status: "stopped", reason: "stopped" };

/**
 * Executes the loop of `ports.scope` until it ends or is suspended. First finishes the last step if a crash or a suspension left it
 * open. Contract: rejects only for a bug or a failing store. Failures of models and tools are in messages, log rows and the returned end.
 */
export async function run(ports: RunPorts, signal: AbortSignal): Promise<Halt> {
  const open = lastStep(ports.journal.messages, ports.scope);
  if (open !== null) {
    const isOver = isStepOver(open, ports);
    await ports.faults.at("loop.resume");
    const until = isOver ? null : await resumeStep(open, ports, signal);
    if (until !== null) return { type: "suspend", until };
    const halt = haltAfterPartial(open, ports);
    if (!isOver && ports.hooks.afterStep !== undefined && open.answer.model !== null) {
      await ports.faults.at("loop.after-resumed");
      await ports.hooks.afterStep(hookStepEnd(open.answer.step ?? 1, endOf(halt), ports));
    }
    if (halt !== null) return halt;
  }
  for (;;) {
    if (signal.aborted) return interruptedEnd(timeLimit(signal), ports);
    if (ports.stopAsked()) return { type: "end", end: { status: "stopped", reason: "stop_called" } };
    await ports.faults.at("loop.step");
    const halt = await (hasQueuedCalls(ports) && !tooManyQueued(ports)
      ? makeQueuedCalls(ports, signal)
      : nextStep(ports, signal));
    if (halt !== null) return halt;
  }
}

/** Whether the step is over: the log row that ends the step is written or, if no log rows are written, each of its calls has a result. */
function isStepOver(open: OpenStep, { committed, scope }: RunPorts): boolean {
  return committed === undefined ? isSettled(open) : (open.answer.step ?? 0) <= committed(scope).step;
}

/**
 * The end of a run whose last answer is partial: a partial answer is always the last one. The run may have been interrupted by a crash
 * before this end was written.
 */
function haltAfterPartial({ answer }: OpenStep, ports: RunPorts): Halt | null {
  if (answer.stop_reason === "aborted") return interruptedEnd(answer.failure?.limit, ports);
  return answer.stop_reason === "error" ? failedEnd(answer.failure ?? null) : null;
}

function endOf(halt: Halt | null): RunEnd | undefined {
  return halt?.type === "end" ? halt.end : undefined;
}

/** The time limit that fired the signal; undefined for a stop. */
function timeLimit({ reason }: AbortSignal): LimitReason | undefined {
  return reason instanceof TimeLimitReached ? reason.limit : undefined;
}

/** The end of a run that was interrupted by its time limit, or by a stop. */
function interruptedEnd(limit: LimitReason | undefined, ports: RunPorts): Halt {
  return limit === undefined ? { type: "end", end: stoppedEnd } : atLimit({ reason: limit, until: null }, ports);
}

/**
 * Suspends or ends a run that reached a limit. A suspended run keeps the tool calls that definitions queued, and continues when the limit
 * is raised. A run that ends adds nothing to its transcript (decision 21: limits).
 */
function atLimit({ reason, until }: ReachedLimit, { run, scope, strategy }: RunPorts): Halt {
  if (until !== null) return { type: "suspend", until };
  // Otherwise the remaining queued calls would start another run, with another budget.
  if (scope.depth === 0) run.progress.calls = [];
  const turn = strategy.turn?.() ?? null;
  return { type: "end", end: { status: "limit", reason, ...(turn === null ? {} : { turn }) } };
}

/**
 * Whether this loop has to make tool calls that definitions queued for the run. Only the run's main loop makes them, not the nested loop of
 * a sub-prompt.
 */
function hasQueuedCalls({ run, scope }: RunPorts): boolean {
  const { calls = [] } = run.progress;
  return scope.depth === 0 && calls.length > 0;
}

async function makeQueuedCalls(ports: RunPorts, signal: AbortSignal): Promise<Halt | null> {
  await ports.faults.at("loop.queued");
  const done = await queuedStep(ports, signal);
  if (done === null) return null;
  return "problem" in done ? planFailed(done) : { type: "suspend", until: done.until };
}

/**
 * The maximum number of steps of a run that make queued tool calls. Without this bound, a run whose calls queue further calls would not
 * end.
 */
const queuedStepLimit = 100;

function tooManyQueued({ journal, run, scope }: RunPorts): boolean {
  const made = journal.messages.filter((message) => isAnswer(message) && isInScope(scope, message));
  const queued = made.filter(({ model }) => model === null).length;
  const limit = run.limits?.steps;
  return queued >= queuedStepLimit || (typeof limit === "number" && made.length >= limit);
}

const tooManyCalls: ReachedLimit = { reason: "max_steps", until: null };

/** Takes the next step if the strategy decides for one and no limit is reached. Returns null if the run continues. */
async function nextStep(ports: RunPorts, signal: AbortSignal): Promise<Halt | null> {
  const backsOffUntil = backOffEnd(ports);
  if (backsOffUntil !== null) return { type: "suspend", until: backsOffUntil };
  const steered = isSteered(ports);
  const progress = progressOf(ports.journal.messages, ports.scope);
  await ports.faults.at("loop.decide");
  const decision: Decision = await ports.strategy.next(steered ? { ...progress, hasNewInput: true } : progress);
  // Queued calls that remain here exceed the limit of queued steps.
  const hasTooManyCalls = hasQueuedCalls(ports);
  await ports.faults.at("loop.limits");
  const reached = decision.type === "end" && !hasTooManyCalls ? null : ((await ports.limits?.reached()) ?? null);
  // A steering message arrived or was withdrawn during the awaits above: decide again.
  if (isSteered(ports) !== steered) return null;
  if (decision.type === "end" && !hasTooManyCalls) return { type: "end", end: decision };
  if (reached !== null || hasTooManyCalls || decision.type === "end") {
    // The limit prevents an answer to the steering messages. A run that is complete without them ends as if they had not arrived.
    await ports.faults.at("loop.unheard");
    const withoutSteering = steered && !hasTooManyCalls ? await ports.strategy.next(progress) : null;
    if (withoutSteering?.type !== "end") return atLimit(reached ?? tooManyCalls, ports);
    ports.run.progress.reached_limit = null;
    return { type: "end", end: withoutSteering };
  }
  if (steered) ports.steering?.join();
  return hookedStep(decision.shape ?? {}, ports, signal);
}

/** Takes a step between the hooks that are called before and after it. */
async function hookedStep(shape: StepShape, ports: RunPorts, signal: AbortSignal): Promise<Halt | null> {
  const { beforeStep, afterStep } = ports.hooks;
  if (beforeStep === undefined && afterStep === undefined) return step(shape, ports, signal);
  const number = nextStepNumber(ports.journal.messages, ports.scope);
  // A step that resumes after a back-off began earlier, and its hook was called then.
  if (beforeStep !== undefined && retryOf(ports)?.step !== number) {
    await ports.faults.at("loop.before-step");
    if (!(await beforeStep(hookStep(number, ports)))) return { type: "end", end: stoppedByHook };
  }
  await ports.faults.at("loop.take-step");
  const halt = await step(shape, ports, signal);
  if (afterStep === undefined || halt?.type === "suspend") return halt;
  await ports.faults.at("loop.after-step");
  await afterStep(hookStepEnd(number, endOf(halt), ports));
  return halt;
}

async function step(shape: StepShape, ports: RunPorts, signal: AbortSignal): Promise<Halt | null> {
  const { instruction, phase, silent } = shape;
  if (instruction?.keep === true) {
    await ports.faults.at("loop.instruction");
    await storeInstruction(instruction.text, shape, ports);
  }
  await ports.faults.at("loop.plan");
  const planned = await ports.steps.plan(shape, signal);
  if ("problem" in planned) {
    const { failed } = ports.hooks;
    if (failed !== undefined) {
      await ports.faults.at("loop.plan-failed");
      await failed(planned.problem, hookStep(nextStepNumber(ports.journal.messages, ports.scope), ports));
    }
    return planFailed(planned);
  }
  const settings = { ...(phase === undefined ? {} : { phase }), ...(silent === undefined ? {} : { silent }) };
  let plan: NumberedPlan = { ...planned, ...settings, step: nextStepNumber(ports.journal.messages, ports.scope) };
  const events = stepEvents(plan, ports);
  const from = firstAttempt(plan.step, ports);
  const { compaction } = ports;
  let share: ReservedShare | null = null;
  if (plan.summary !== undefined && compaction !== undefined) {
    await ports.faults.at("loop.reserve-summary");
    ({ plan, reserved: share } = await compaction.reserveSummary(plan, from, { shape, ports, signal }));
  }
  const isSummarized = share !== null;
  if (share === null) {
    await ports.faults.at("loop.reserve");
    const reserved = await reserve(plan, from, { ports, signal });
    if ("limit" in reserved) return limitBeforeAttempt(from, reserved.limit, { plan, ports });
    share = { ...reserved };
  }
  try {
    const { name } = plan.models[from.model] ?? plan.models[0];
    events.emit({ type: "step_start", model: name, attempt: from.attempt, ...(phase === undefined ? {} : { phase }) });
    if (plan.compaction !== undefined && compaction !== undefined) {
      await ports.faults.at("loop.compact");
      plan = await compaction.complete(plan, { shape, ports, events, signal });
    }
    if (isSummarized) {
      // The summary is counted now and may have used more than its share.
      share.release();
      await ports.faults.at("loop.reserve-again");
      const reserved = await reserve(plan, from, { ports, signal });
      if ("limit" in reserved) return limitBeforeAttempt(from, reserved.limit, { plan, ports });
      Object.assign(share, reserved);
    }
    const sent = plan;
    const onFailedAttempt = (usage: ModelUsage) => addModelUsage(ports.run, usage);
    const makeSmaller = async (refused: RetryPosition) =>
      compaction?.smallerPlan(sent, refused, { shape, ports, events, signal }) ?? null;
    await ports.faults.at("loop.ask");
    const requested = await requestAnswer(plan, { ports, events, signal, from, share, onFailedAttempt, makeSmaller });
    if (requested.type === "suspend") return suspendForBackOff(requested, plan.step, ports);
    if (requested.type === "limit") return limitBeforeAttempt(requested.next, requested.reached, { plan, ports });
    const { result } = requested;
    const context = { plan: requested.plan, ports, events, signal, share };
    await ports.faults.at("loop.keep");
    return await (result.failure === null ? finishStep(result, context) : keepPartial(result, context));
  } finally {
    // Also on failure: other loops of the run wait until the share of the budget is given back.
    share.release();
  }
}

/** Suspends or ends a run that reached a limit before a request was sent. A suspended run continues with that request. */
function limitBeforeAttempt(
  next: RetryPosition,
  reached: ReachedLimit,
  { plan, ports }: { plan: NumberedPlan; ports: RunPorts },
): Halt {
  keepRetry(next, { step: plan.step, at: ports.clock.now() }, ports);
  return atLimit(reached, ports);
}

/** The context for storing an answer. The request's share of the budget is given back when the answer is counted. */
type AnswerContext = StepContext & { signal: AbortSignal; share: ReservedShare };

/** Stores the answer, runs its calls, and writes the step's row. Suspends the run if a call waits for its result. */
async function finishStep(result: AttemptResult, context: AnswerContext): Promise<Halt | null> {
  const { ports } = context;
  result.answer.start();
  await ports.faults.at("loop.keep-answer");
  const answer = await storeAnswer(result, result.answer.closeParts(), context);
  addModelUsage(ports.run, usageOf(result));
  // The share of the budget is given back before the calls run, because their model requests need the remaining budget.
  context.share.release();
  ports.journal.answered?.(attemptLog(result, { plan: context.plan, ports, events: [] }));
  await ports.faults.at("loop.run-calls");
  const ran = await runCalls(allowedCalls(callsOf(answer), ports), [], { ...context, maySkip: true });
  await ports.faults.at("loop.commit-answer");
  await writeAttempt(result, { ...ran, answer }, context);
  return ran.suspendedUntil === null ? null : { type: "suspend", until: ran.suspendedUntil };
}

/**
 * Ends the run after a stop, at its time limit, or after a final failure. Stores the output that was emitted, without calls (decision
 * 20: a stop keeps partial text).
 */
async function keepPartial(result: AttemptResult, context: AnswerContext): Promise<Halt> {
  const { ports } = context;
  const stopped = result.failure?.kind === "aborted";
  const limit = timeLimit(context.signal);
  if (result.answer.started) {
    await ports.faults.at("loop.keep-partial");
    await storeAnswer({ ...result, limit }, result.answer.partialParts(), context);
  }
  if (result.isCounted !== true) addModelUsage(ports.run, usageOf(result));
  context.share.release();
  if (!stopped && ports.hooks.failed !== undefined) {
    await ports.faults.at("loop.failed");
    await ports.hooks.failed(failureOf(result.failure), hookStep(context.plan.step, ports));
  }
  await ports.faults.at("loop.commit-partial");
  await writeAttempt(result, { settled: [], warnings: [], suspendedUntil: null, answer: null }, context);
  return stopped ? interruptedEnd(limit, ports) : failedEnd(result.failure);
}

function failedEnd(failure: MessageRecord["failure"] | null): Halt {
  const error = failureOf(failure);
  return { type: "end", end: { status: "error", reason: error.code, error } };
}

function failureOf(failure: MessageRecord["failure"] | null): { code: string; message: string } {
  const { kind, message } = failure ?? { kind: "api", message: "The model failed." };
  return { code: kind, message };
}

/** The attempt with which the step's request begins. A stored retry position of another step was stored before a crash and is dropped. */
function firstAttempt(step: number, ports: RunPorts): RetryPosition {
  const retry = takeRetry(ports);
  return retry?.step === step ? { model: retry.model, attempt: retry.attempt } : { model: 0, attempt: 1 };
}

/**
 * The end of a nested loop's back-off (microseconds); null if there is none or it is over. The run may have been resumed earlier, for
 * another of its loops.
 */
function backOffEnd({ run, scope: { parent_id }, clock }: RunPorts): number | null {
  const until = parent_id === null ? undefined : run.progress.nested_retries?.[parent_id]?.at;
  return until !== undefined && until > clock.now() ? until : null;
}

/** The loop's stored retry position, with the number of its step. */
function retryOf({ run, scope: { parent_id } }: RunPorts): (RetryPosition & { step: number }) | null {
  return parent_id === null ? run.progress.retry : (run.progress.nested_retries?.[parent_id] ?? null);
}

/** Removes the loop's stored retry position from the run's record and returns it. */
function takeRetry(ports: RunPorts): (RetryPosition & { step: number }) | null {
  const { progress } = ports.run;
  const { parent_id } = ports.scope;
  const retry = retryOf(ports);
  if (parent_id === null) {
    progress.retry = null;
  } else {
    const { [parent_id]: _, ...others } = progress.nested_retries ?? {};
    progress.nested_retries = others;
  }
  return retry;
}

function suspendForBackOff(
  { until, next }: { until: number; next: RetryPosition },
  step: number,
  ports: RunPorts,
): Halt {
  keepRetry(next, { step, at: until }, ports);
  return { type: "suspend", until };
}

/** Stores the attempt with which the loop continues, not before `at` (microseconds). Each loop of a run has its own retry position. */
function keepRetry(next: RetryPosition, { step, at }: { step: number; at: number }, { run, scope }: RunPorts): void {
  if (scope.parent_id === null) run.progress.retry = { step, ...next };
  else run.progress.nested_retries = { ...run.progress.nested_retries, [scope.parent_id]: { step, ...next, at } };
}

function planFailed({ problem }: StepProblem): Halt {
  return { type: "end", end: { status: "error", reason: problem.code, error: problem } };
}
