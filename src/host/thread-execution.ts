// One execution of a model or an agent in a call of a thread's tool (`{ in: state }`): its usage counts to the thread's run, and the thread
// sends its events. Without a thread, nothing is counted and each member does nothing.

import type { PlainEvent } from "#contract/event.ts";
import type { AnswerSoFar, ModelFailure, ModelPort } from "#core/ports/model-port.ts";
import type { CallExecution, ToolHost } from "#core/ports/tool-host.ts";
import type { LogRecord } from "#core/record/record.ts";
import { errorMessage } from "#lib/cut-text.ts";

/** An execution in a thread. */
export class ThreadExecution {
  readonly #execution: CallExecution | null;
  /** Aborts when the call of the tool is stopped or has ended. Undefined without a thread. */
  readonly signal: AbortSignal | undefined;
  /** Counts a model request. Undefined without a thread. */
  readonly log: ((record: LogRecord) => void) | undefined;
  /** Why a limit of the thread's run prevented a request; null if none did. */
  refusal: string | null = null;
  /** Gives back the share of the last request. The share is kept until the request is counted. */
  #release: () => void = () => {};

  /** Begins an execution in the host's call. `isInThread` is false if the call has ended; the signal is aborted then. */
  constructor(host: ToolHost | null, start: { type: string; prompt: string }) {
    this.signal = host?.executions.signal;
    const execution = host?.executions.begin(start) ?? null;
    this.#execution = execution;
    this.log =
      execution === null
        ? undefined
        : (record) => {
            execution.log(record);
            this.#release();
          };
  }

  /** Whether the execution is in a thread, which receives its events and log rows. */
  get isInThread(): boolean {
    return this.#execution !== null;
  }

  send(event: PlainEvent): void {
    this.#execution?.send(event);
  }

  /** Ends the execution with the text of its answer. */
  completed(result: string): void {
    this.#release();
    this.#execution?.end({ success: true, result });
  }

  /** Ends the execution with the exception that ended it, or with its text. */
  failed(thrown: unknown): void {
    this.#release();
    this.#execution?.end({ success: false, error: errorMessage(thrown) });
  }

  /** Returns the port, which sends a request only within the limits of the thread's run. */
  port(models: ModelPort): ModelPort {
    const reserve = this.#execution?.reserve;
    if (reserve === undefined) return models;
    const refuse = (reason: string): ModelFailure => {
      const message = `The thread's run has reached its limit: ${reason}.`;
      this.refusal ??= message;
      return { kind: "api", message, retryable: false, status: null, retry_after_ms: null };
    };
    const hold = (release: () => void): void => {
      this.#release();
      this.#release = release;
    };
    return {
      ...models,
      async *stream(request, signal, received) {
        const reserved = await reserve(request, signal);
        if ("limit" in reserved) {
          yield { type: "error", failure: refuse(reserved.limit.reason) };
          return;
        }
        hold(reserved.release);
        // Both the thread's run and the execution itself count a request that they allow, so neither counts one that the other refuses.
        const continues = (soFar: AnswerSoFar) => reserved.extend(soFar, () => request.continues?.(soFar) !== false);
        yield* models.stream({ ...request, continues }, signal, received);
      },
    };
  }
}
