// The sender of a program's events, whose errors never enter the loop.

import { errorMessage } from "#lib/cut-text.ts";
import { consoleLog } from "#lib/log-port.ts";

import type { EventSender } from "./event-channel.ts";
import type { AgentEvent } from "./loop-event.ts";
import { isPromise } from "./program-functions.ts";

/**
 * Passes events on until the loop ends, the program's sender throws, or a promise that it returned rejects. Then the loop is cancelled, sends nothing more,
 * and rejects with the error.
 */
export class GuardedSender {
  readonly #tx: EventSender;
  readonly #breaking = new AbortController();
  #thrown: { error: unknown } | null = null;
  #isEnded = false;

  constructor(tx: EventSender) {
    this.#tx = tx;
  }

  /** Aborted when the sender threw. */
  get broken(): AbortSignal {
    return this.#breaking.signal;
  }

  readonly send = (event: AgentEvent): void => {
    if (this.#thrown !== null || this.#isEnded) return;
    try {
      const sent: unknown = this.#tx.send(event);
      if (isPromise(sent)) sent.then(undefined, this.#break);
    } catch (error) {
      this.#break(error);
    }
  };

  readonly #break = (error: unknown): void => {
    // After the end of the loop a program learns of the error by the log alone.
    if (this.#isEnded) consoleLog("error", "loop_sender_failed", { error: errorMessage(error) });
    this.#thrown ??= { error };
    this.#breaking.abort();
  };

  /** Throws the error of the sender. Called when all events are sent. */
  end(): void {
    this.#isEnded = true;
    if (this.#thrown !== null) throw this.#thrown.error;
  }
}
