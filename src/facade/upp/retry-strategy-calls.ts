// Calls the functions of a retry strategy for the requests of one turn: `beforeRequest` before each request, `onRetry` after a failed one,
// `reset` after a successful one. The loop sends and repeats the requests.

import type { ModelFailure, ModelPort } from "#core/ports/model-port.ts";
import { systemClock } from "#lib/system-clock.ts";
import { untilAborted } from "#models/read-stream.ts";

import { errorOfFailure } from "./failure-error.ts";
import type { ProviderConfig, RetryStrategy } from "./model-reference.ts";
import { refusal } from "./upp-error.ts";

/** The maximum milliseconds between two calls of `received` while a request waits, so that the timeout of its provider does not elapse. */
const noticeMs = 1000;

/** The calls of a retry strategy during one turn. */
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

  /** The exception of a function of the strategy; null if there is none. */
  get thrown(): { error: unknown } | null {
    return this.#thrown;
  }

  /** Milliseconds before the next attempt; null for no further one. Never rejects. */
  async retryDelay(failure: ModelFailure, attempt: number): Promise<number | null> {
    const strategy = this.#strategy;
    if (strategy === undefined || this.#thrown !== null) return null;
    const error = errorOfFailure(failure, this.#provider);
    const delay: unknown = await this.#call(() => strategy.onRetry(error, attempt), null);
    if (delay === null || delay === undefined) return null;
    return this.#milliseconds("onRetry", delay);
  }

  /** Returns the port with a wait before each request, for the milliseconds that `beforeRequest` returns. */
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
    const wait: unknown = await this.#call(() => strategy.beforeRequest?.() ?? 0, 0);
    const ms = this.#milliseconds("beforeRequest", wait) ?? 0;
    const until = systemClock.now() + ms * 1000;
    for (;;) {
      const remaining = (until - systemClock.now()) / 1000;
      if (this.#signal.aborted) return this.#abandon(strategy, Math.max(0, remaining));
      if (!(remaining > 0)) return;
      await systemClock.sleep(Math.min(this.#noticeMs, remaining), this.#signal).catch(() => undefined);
      received();
    }
  }

  /** Notifies the strategy of a request that is not sent. An exception ends the turn in place of the abort. */
  async #abandon(strategy: RetryStrategy, remaining: number): Promise<void> {
    try {
      await strategy.onAbort?.(remaining);
    } catch (error) {
      this.#thrown ??= { error };
    }
  }

  /** Reads what a function of the strategy returned. A value that is no time ends the turn: repetitions without a wait have no end. */
  #milliseconds(name: string, value: unknown): number | null {
    if (typeof value === "number" && value >= 0) return value;
    const given = typeof value === "number" ? value : typeof value;
    const others = name === "onRetry" ? ", or null for no further attempt" : "";
    const message = `${name} of the retry strategy has to return milliseconds of at least 0${others}; it returned ${given}.`;
    this.#thrown ??= { error: refusal(message, this.#provider) };
    return null;
  }

  /** Calls a function of the strategy. `otherwise` is the result if it throws, or if the turn is aborted before it resolves. */
  async #call<T>(work: () => T | Promise<T>, otherwise: T): Promise<T> {
    try {
      const returned = work();
      // The number from `beforeRequest` is used even if the turn is aborted meanwhile, because `onAbort` receives the remaining wait.
      if (typeof returned !== "object" || returned === null) return returned;
      return await untilAborted(Promise.resolve(returned), this.#signal);
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
