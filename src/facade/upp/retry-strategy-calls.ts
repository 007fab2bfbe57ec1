// Asks the retry strategy of a turn's connection before each model request and after it: how long a request waits, whether a failed one is
// repeated, and that one succeeded. The loop sends and repeats the requests.

import type { ModelFailure, ModelPort } from "#core/ports/model-port.ts";
import { systemClock } from "#lib/system-clock.ts";
import { untilAborted } from "#models/read-stream.ts";

import { errorOfFailure } from "./failure-error.ts";
import type { ProviderConfig, RetryStrategy } from "./model-reference.ts";

/** The longest time between two notices that a request waits, in milliseconds, so that its provider does not count as silent. */
const noticeMs = 1000;

/** The requests of one turn. */
export class RetryStrategyCalls {
  readonly #strategy: RetryStrategy | undefined;
  readonly #provider: string;
  readonly #signal: AbortSignal;
  readonly #noticeMs: number;
  #thrown: { error: unknown } | null = null;

  constructor({ retryStrategy, timeout = Infinity }: ProviderConfig, provider: string, signal: AbortSignal) {
    this.#strategy = retryStrategy;
    this.#provider = provider;
    this.#signal = signal;
    this.#noticeMs = Math.min(noticeMs, timeout / 4);
  }

  /** What a function of the strategy threw; null if none did. */
  get thrown(): { error: unknown } | null {
    return this.#thrown;
  }

  /** Milliseconds before the next attempt; null for no further one. Never rejects. */
  async retryDelay(failure: ModelFailure, attempt: number): Promise<number | null> {
    const strategy = this.#strategy;
    if (strategy === undefined || this.#thrown !== null) return null;
    const error = errorOfFailure(failure, this.#provider);
    return this.#call(() => strategy.onRetry(error, attempt), null);
  }

  /** The port, which waits before each request as long as the strategy states. */
  port(models: ModelPort): ModelPort {
    const strategy = this.#strategy;
    if (strategy?.beforeRequest === undefined && strategy?.reset === undefined) return models;
    const wait = (received: () => void) => this.#wait(strategy, received);
    const succeed = () => this.#call(() => strategy.reset?.(), undefined);
    const refused = () => this.#thrown !== null;
    return {
      ...models,
      async *stream(request, signal, received = () => {}) {
        await wait(received);
        if (refused()) {
          yield { type: "error", failure: failedStrategy };
          return;
        }
        for await (const part of models.stream(request, signal, received)) {
          if (part.type === "finish") await succeed();
          yield part;
        }
      },
    };
  }

  async #wait(strategy: RetryStrategy, received: () => void): Promise<void> {
    const ms = await this.#call(() => strategy.beforeRequest?.() ?? 0, 0);
    const until = systemClock.now() + ms * 1000;
    for (;;) {
      const remaining = (until - systemClock.now()) / 1000;
      if (!(remaining > 0) || this.#signal.aborted) return;
      await systemClock.sleep(Math.min(this.#noticeMs, remaining), this.#signal).catch(() => undefined);
      received();
    }
  }

  /** Calls a function of the strategy. `otherwise` is the result if it throws, or if the turn is aborted before it resolves. */
  async #call<T>(work: () => T | Promise<T>, otherwise: T): Promise<T> {
    try {
      return await untilAborted(Promise.resolve(work()), this.#signal);
    } catch (error) {
      if (!this.#signal.aborted) this.#thrown ??= { error };
      return otherwise;
    }
  }
}

const failedStrategy: ModelFailure = {
  kind: "api",
  message: "A function of the retry strategy threw.",
  retryable: false,
  status: null,
  retry_after_ms: null,
};
