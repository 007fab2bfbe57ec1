// One step's model request: attempts with back-off, then fallbacks, telling and logging each. What was shown of a failed
// attempt is retracted before anything else is shown; what was shown of a stopped one is kept (decision 20, 22).

import { zeroUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { costOf } from "../cost.ts";
import type { EventList } from "../event-list.ts";
import type { ReachedLimit, Reserved } from "../ports/limit-port.ts";
import type { ModelFailure, ModelPart } from "../ports/model-port.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { NumberedPlan } from "../ports/step-port.ts";
import type { Spending } from "../run-state.ts";
import { Answer } from "./answer.ts";
import type { Asked, AttemptTimes } from "./asked.ts";
import { spendingOf } from "./asked.ts";
import { attemptLog } from "./attempt-log.ts";
import { cutUsage, finishedUsage } from "./counted-usage.ts";
import { delayBeforeRetry, longestWaitMs, retryPolicy } from "./retry.ts";
import { silenceLimits, watched } from "./watchdog.ts";

/** Where a request stands: which model of the chain, and which attempt at it comes next. */
export interface RetryPlace {
  model: number;
  attempt: number;
}

/** An answer; a rest until then (microseconds); or a limit that the attempts came to, and where the next would have begun. */
export type AskResult =
  | { type: "asked"; asked: Asked }
  | { type: "rest"; until: number; at: RetryPlace }
  | { type: "limit"; reached: ReachedLimit; at: RetryPlace };

/** Asks until there is an answer, a final failure, a stop, a rest or a limit. Contract: never rejects. */
export async function ask(
  plan: NumberedPlan,
  {
    ports,
    events,
    signal,
    from,
    share,
    spend,
  }: {
    ports: RunPorts;
    events: EventList;
    signal: AbortSignal;
    from: RetryPlace;
    /** The share of the budget that the request has reserved. Each further attempt reserves a new one. */
    share: HeldShare;
    /** Counts a failed attempt's tokens into the run. */
    spend: (spending: Spending) => void;
  },
): Promise<AskResult> {
  let place = from;
  for (;;) {
    const model = plan.models[place.model] ?? plan.models[0];
    await ports.faults.at("model.attempt");
    const asked = await attempt(plan, { model, number: place.attempt }, { ports, events, signal });
    const { failure } = asked;
    if (failure === null || failure.kind === "aborted") return { type: "asked", asked };
    // A stop may end the stream in any way: whatever came of it, nobody waits for an answer any more.
    if (signal.aborted) return { type: "asked", asked: { ...asked, failure: stopped } };
    const policy = retryPolicy(model.retry);
    const random = ports.ids.random();
    const delay = delayBeforeRetry(policy, failure, { attempt: place.attempt, random });
    const next = plan.models[place.model + 1];
    if (delay === null && next === undefined) return { type: "asked", asked };

    retract(asked.answer, events, delay === null ? "fallback" : "retry");
    const error = { code: failure.kind, message: failure.message, retryable: failure.retryable };
    if (delay === null) {
      events.tell({ type: "model_fallback", from: model.name, to: next?.name ?? "", error });
      place = { model: place.model + 1, attempt: 1 };
    } else {
      place = { model: place.model, attempt: place.attempt + 1 };
      const max = policy.retries + 1;
      events.tell({ type: "model_retry", attempt: place.attempt, max, delay_ms: delay, error });
    }
    spend(spendingOf(asked));
    ports.journal.log(attemptLog(asked, { plan, ports, events: events.take() }));
    share.release();
    await ports.faults.at("model.limits");
    const reserved = await reserve(plan, place, { ports, signal });
    if ("limit" in reserved) return { type: "limit", reached: reserved.limit, at: place };
    share.release = reserved.release;
    if (delay === null) continue;
    if (delay > longestWaitMs) {
      share.release();
      return { type: "rest", until: ports.clock.now() + delay * 1000, at: place };
    }
    await ports.faults.at("model.backoff");
    await ports.clock.sleep(delay, signal).catch(() => undefined);
  }
}

/** A share of the budget; `release` gives it back. */
export interface HeldShare {
  release: () => void;
}

/** Reserves the share of an attempt. */
export function reserve(
  plan: NumberedPlan,
  place: RetryPlace,
  { ports, signal }: { ports: Pick<RunPorts, "limits">; signal: AbortSignal },
): Promise<Reserved> {
  const model = plan.models[place.model] ?? plan.models[0];
  return ports.limits?.reserve({ ...plan.request, model }, signal) ?? Promise.resolve({ release: () => {} });
}

/** The end of an answer that a row cannot take more of: as if the model had reached its own limit of words. */
const tooLong: ModelPart = {
  type: "finish",
  stop_reason: "length",
  usage: zeroUsage,
  reported_cost: null,
  model_id: null,
};

async function attempt(
  plan: NumberedPlan,
  { model, number }: { model: AnyModelDefinition; number: number },
  { ports, events, signal }: { ports: RunPorts; events: EventList; signal: AbortSignal },
): Promise<Asked> {
  const id = ports.ids.ordered();
  const hideThinking = plan.request.reasoning?.exclude ?? false;
  const { parent_id: parentId } = ports.line;
  const answer = new Answer(id, events, { hideThinking, role: plan.role, parentId });
  const times: AttemptTimes = { started_at: ports.clock.now(), first_at: null, ended_at: 0 };
  let told: Usage | null = null;
  const request = { ...plan.request, model };
  if (signal.aborted) {
    answer.take({ type: "error", failure: stopped });
  } else {
    const limits = silenceLimits(model, ports.models.thinksInSilence?.(model) ?? false);
    const stream = watched(
      (inner, received) => ports.models.stream(request, inner, received),
      { signal, limits },
      ports,
    );
    await ports.faults.at("model.request");
    for await (const part of stream) {
      await ports.faults.at("model.part");
      if (times.first_at === null && part.type.endsWith("_delta")) {
        times.first_at = ports.clock.now();
      }
      if (part.type === "error" && part.usage !== undefined) told = part.usage;
      answer.take(part);
      if (!answer.full) continue;
      answer.take(tooLong);
      break;
    }
  }
  times.ended_at = ports.clock.now();
  const finish = answer.finish;
  const failure = answer.failure ?? (finish === null ? cutStream : null);
  const words = answer.words();
  const { usage, estimated } =
    finish === null ? cutUsage(request, told, words) : finishedUsage(request, finish.usage, words);
  const cost = costOf(model, usage, finish?.reported_cost ?? null);
  return { model, attempt: number, answer, times, usage, estimated, cost, failure };
}

const stopped: ModelFailure = {
  kind: "aborted",
  message: "The run was stopped.",
  retryable: false,
  status: null,
  retry_after_ms: null,
};

/** A stream without an end is a cut connection, whatever came before it. */
const cutStream: ModelFailure = {
  kind: "network",
  message: "The model's answer ended before it was finished.",
  retryable: true,
  status: null,
  retry_after_ms: null,
};

function retract(answer: Answer, events: EventList, reason: "retry" | "fallback"): void {
  if (!answer.shown) return;
  events.forget(answer.messageId);
  events.tell({ type: "message_retracted", message_id: answer.messageId, reason });
}
