// A model request that the runtime refuses before it sends anything, because it cannot be expressed or has no access, or whose answer is
// refused, because a provider of the project's own breaks its contract. A retry helps only if the failure states it.

import type { ModelFailure, ModelFailureKind } from "#core/ports/model-port.ts";

/** The class of a refusal, as far as it differs from that of a request that cannot be expressed. */
type Refusal = Partial<Pick<ModelFailure, "retryable" | "status" | "retry_after_ms">> & { kind?: ModelFailureKind };

/** The refusal. Its message names what is wrong with the request. */
export class RefusedRequest extends Error {
  override readonly name = "RefusedRequest";
  readonly failure: Refusal;

  constructor(message: string, failure: Refusal = {}) {
    super(message);
    this.failure = failure;
  }
}
