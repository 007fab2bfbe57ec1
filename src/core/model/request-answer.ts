// Requests one step's answer from a model: attempts with back-off, then the fallbacks in order. Each failed attempt writes a log row. If
// another attempt follows, the output of the failed attempt is retracted first. Output of a stopped attempt is kept (decision 20: a stop
// keeps partial text; decision 22: retries).

import type { StopReason } from "#contract/thread-message.ts";
import { zeroUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import type { LimitReason } from "../limits/reached.ts";
import type { RetryPosition } from "../ports/compaction-port.ts";
import type { ReachedLimit, Reserved, ReservedShare } from "../ports/limit-port.ts";
import type { AnswerSoFar, ModelFailure, ModelPart } from "../ports/model-port.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { NumberedPlan } from "../ports/step-port.ts";
import type { ModelUsage } from "../record/run-state.ts";
import type { RowEvents } from "../step/row-events.ts";
import { Answer } from "./answer.ts";
import { attemptLog } from "./attempt-log.ts";
import { costOf } from "./cost.ts";
import { cutUsage, finishedUsage } from "./counted-usage.ts";
import { delayBeforeRetry, longestWaitMs, retryPolicy } from "./retry.ts";
import { silenceLimits, watched } from "./watchdog.ts";

/** The result of one attempt: an answer, or a failure with the part of the answer that was received. */
export interface AttemptResult {
  model: AnyModelDefinition;
  /** The attempt's number, from 1. Each model's attempts are numbered separately. */
  attempt: number;
  answer: Answer;
  times: AttemptTimes;
  usage: Usage;
  /** The provider reported no usage, or only a part of it. */
  estimated: boolean;
  /** The number of further requests that the answer needed. */
  continuations: number;
  cost: number | null;
  /** Null if the answer is complete. */
  failure: ModelFailure | null;
  /** The limit that interrupted the attempt. */
  limit?: LimitReason | undefined;
  /** The attempt's usage is already added to the run's. */
  isCounted?: true;
}

/** Microseconds since epoch. `first_at` is the first delta of any kind. */
interface AttemptTimes {
  started_at: number;
  first_at: number | null;
  ended_at: number;
}

/** The usage of an attempt, by its model. */
export function usageOf({ model, usage, cost }: AttemptResult): ModelUsage {
  return { model: model.name, usage, cost };
}

/** Why the model stopped: `aborted` or `error` for a failed attempt. */
export function stopReasonOf({ answer, failure }: AttemptResult): StopReason {
  if (failure === null) return answer.stopReason();
  return failure.kind === "aborted" ? "aborted" : "error";
}

/**
 * `attempt`: an answer or a final failure. `suspend`: the next attempt is `next`, not before `until` (microseconds). `limit`: a limit
 * is reached before the attempt `next`.
 */
export type RequestResult =
  | { type: "attempt"; result: AttemptResult; plan: NumberedPlan }
  | { type: "suspend"; until: number; next: RetryPosition }
  | { type: "limit"; reached: ReachedLimit; next: RetryPosition };

/** Requests the answer, beginning with the attempt `from`. Contract: never rejects. */
export async function requestAnswer(
  planned: NumberedPlan,
  {
    ports,
    events,
    signal,
    from,
    share,
    onFailedAttempt,
    makeSmaller,
  }: {
    ports: RunPorts;
    events: RowEvents;
    signal: AbortSignal;
    from: RetryPosition;
    /** The share of the budget that the first attempt has reserved. Each further attempt reserves a new one. */
    share: ReservedShare;
    /** Adds a failed attempt's usage to the run's. */
    onFailedAttempt: (usage: ModelUsage) => void;
    /**
     * Plans the step with a smaller request, after a model refused the first one as too large. Null: nothing can be left out. It may request
     * a summary, so the refused attempt is counted and its share given back before.
     */
    makeSmaller: (refused: RetryPosition) => Promise<NumberedPlan | null>;
  },
): Promise<RequestResult> {
  let plan = planned;
  let current = from;
  for (;;) {
    const asked = plan;
    const model = plan.models[current.model] ?? plan.models[0];
    await ports.faults.at("model.attempt");
    let result = await attempt(plan, { model, number: current.attempt, share }, { ports, events, signal });
    const { failure } = result;
    if (failure === null || failure.kind === "aborted") return { type: "attempt", result, plan };
    // A stopped stream may end with any failure, and a stopped run makes no further attempt.
    if (signal.aborted) return { type: "attempt", result: { ...result, failure: stopped }, plan };
    const mayBeSmaller = failure.kind === "overflow" && plan === planned;
    if (mayBeSmaller) {
      onFailedAttempt(usageOf(result));
      result = { ...result, isCounted: true };
      share.release();
    }
    await ports.faults.at("model.smaller");
    const smaller = mayBeSmaller ? await makeSmaller(current) : null;
    const policy = retryPolicy({ ...model.retry, ...plan.request.retry });
    const random = ports.ids.random();
    const retryDelay =
      ports.retryDelay?.bind(ports) ?? ((failed, attempt) => delayBeforeRetry(policy, failed, { attempt, random }));
    await ports.faults.at("model.retry-delay");
    const delay = smaller === null ? await retryDelay(failure, current.attempt) : 0;
    if (signal.aborted) return { type: "attempt", result: { ...result, failure: stopped }, plan };
    const fallback = plan.models[current.model + 1];
    if (delay === null && fallback === undefined) return { type: "attempt", result, plan };

    retract(result.answer, events, delay === null ? "fallback" : "retry");
    const error = { code: failure.kind, message: failure.message, retryable: failure.retryable };
    if (smaller !== null) {
      // The log row of the failed request has the projection of the smaller request, so that a run that is interrupted here resumes with
      // the smaller request.
      plan = smaller;
      current = { model: current.model, attempt: current.attempt + 1 };
    } else if (delay === null) {
      events.emit({ type: "model_fallback", from: model.name, to: fallback?.name ?? "", error });
      current = { model: current.model + 1, attempt: 1 };
    } else {
      current = { model: current.model, attempt: current.attempt + 1 };
      const max = policy.retries + 1;
      events.emit({ type: "model_retry", attempt: current.attempt, max, delay_ms: delay, error });
    }
    if (result.isCounted !== true) onFailedAttempt(usageOf(result));
    const { trace } = asked;
    const stored = events.take();
    ports.journal.log?.(attemptLog(result, { plan: { ...plan, trace }, ports, events: stored }));
    share.release();
    await ports.faults.at("model.limits");
    const reserved = await reserve(plan, current, { ports, signal });
    if ("limit" in reserved) return { type: "limit", reached: reserved.limit, next: current };
    Object.assign(share, reserved);
    if (delay === null || smaller !== null) continue;
    if (delay > longestWaitMs) {
      share.release();
      return { type: "suspend", until: ports.clock.now() + delay * 1000, next: current };
    }
    await ports.faults.at("model.backoff");
    await ports.clock.sleep(delay, signal).catch(() => undefined);
  }
}

/** The share of a request without limits. */
export const unlimitedShare: ReservedShare = {
  release: () => {},
  extend: (_soFar, isAllowed = () => true) => isAllowed(),
};

/** Reserves the share of the budget for an attempt. */
export function reserve(
  plan: NumberedPlan,
  position: RetryPosition,
  { ports, signal }: { ports: Pick<RunPorts, "limits">; signal: AbortSignal },
): Promise<Reserved> {
  const model = plan.models[position.model] ?? plan.models[0];
  return ports.limits?.reserve({ ...plan.request, model }, signal) ?? Promise.resolve(unlimitedShare);
}

/** Ends an answer that is too large for its row, as if the model had reached its token limit. */
const tooLong: ModelPart = {
  type: "finish",
  stop_reason: "length",
  usage: zeroUsage,
  reported_cost: null,
  model_id: null,
};

async function attempt(
  plan: NumberedPlan,
  { model, number, share }: { model: AnyModelDefinition; number: number; share: ReservedShare },
  { ports, events, signal }: { ports: RunPorts; events: RowEvents; signal: AbortSignal },
): Promise<AttemptResult> {
  const id = ports.ids.ordered();
  const answer = new Answer(id, events, {
    hideThinking: plan.request.reasoning?.exclude ?? false,
    role: plan.role,
    parentId: ports.scope.parent_id,
    silent: plan.silent === true,
  });
  const times: AttemptTimes = { started_at: ports.clock.now(), first_at: null, ended_at: 0 };
  const { extend } = share;
  let continuations = 0;
  const continues = (soFar: AnswerSoFar): boolean => {
    const isExtended = extend(soFar);
    if (isExtended) continuations += 1;
    return isExtended;
  };
  const request = { ...plan.request, model, continues, ...(ports.journal.log === undefined ? { raw: false } : {}) };
  if (signal.aborted) {
    answer.add({ type: "error", failure: stopped });
  } else {
    const limits = silenceLimits(
      { ...model.timeouts, ...plan.request.timeouts },
      ports.models.thinksInSilence?.(model) ?? false,
    );
    const stream = watched(
      (inner, received) => ports.models.stream(request, inner, received),
      { signal, limits, note: ports.models.definitionNote?.(model) },
      ports,
    );
    await ports.faults.at("model.request");
    for await (const part of stream) {
      await ports.faults.at("model.part");
      if (times.first_at === null && part.type.endsWith("_delta")) {
        times.first_at = ports.clock.now();
      }
      answer.add(part);
      if (!answer.full) continue;
      answer.add(tooLong);
      break;
    }
  }
  times.ended_at = ports.clock.now();
  const { end, finish } = answer;
  const failure = finish === null ? (end?.type === "error" ? end.failure : interrupted) : null;
  const texts = answer.texts();
  const { usage, estimated } =
    finish === null ? cutUsage(request, end?.usage ?? null, texts) : finishedUsage(request, finish.usage, texts);
  const cost = costOf(model, usage, finish?.reported_cost ?? null);
  return { model, attempt: number, answer, times, usage, estimated, continuations, cost, failure };
}

const stopped: ModelFailure = {
  kind: "aborted",
  message: "The run was stopped.",
  retryable: false,
  status: null,
  retry_after_ms: null,
};

/** A stream without `finish` is an interrupted connection, also after received parts. */
const interrupted: ModelFailure = {
  kind: "network",
  message: "The model's answer ended before it was finished.",
  retryable: true,
  status: null,
  retry_after_ms: null,
};

function retract(answer: Answer, events: RowEvents, reason: "retry" | "fallback"): void {
  if (!answer.started) return;
  events.removeMessage(answer.messageId);
  events.emit({ type: "message_retracted", message_id: answer.messageId, reason });
}
