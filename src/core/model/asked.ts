// A model request that came to its end: an answer, or the failure in its place.

import type { StopReason } from "#contract/message.ts";
import type { Usage } from "#contract/usage.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import type { LimitReason } from "../limits/reached.ts";
import type { ModelFailure } from "../ports/model-port.ts";
import type { Spending } from "../run-state.ts";
import type { Answer } from "./answer.ts";

/** Microseconds since epoch. `first_at` is the first delta of any kind. */
export interface AttemptTimes {
  started_at: number;
  first_at: number | null;
  ended_at: number;
}

/** What a request came to. `usage` and `cost` are of the last attempt; failed ones are in their own log rows. */
export interface Asked {
  model: AnyModelDefinition;
  attempt: number;
  answer: Answer;
  times: AttemptTimes;
  usage: Usage;
  /** The provider did not say, or not all. */
  estimated: boolean;
  cost: number | null;
  /** Null for an answer; else why there is none. */
  failure: ModelFailure | null;
  /** The limit that cut it, where one did. */
  limit?: LimitReason | undefined;
}

/** What an attempt counts for. */
export function spendingOf({ model, usage, cost }: Asked): Spending {
  return { model: model.name, usage, cost };
}

/** Why the model stopped; `aborted` and `error` where it did not come to an end. */
export function stopReasonOf({ answer, failure }: Asked): StopReason {
  if (failure === null) return answer.stopReason();
  return failure.kind === "aborted" ? "aborted" : "error";
}
