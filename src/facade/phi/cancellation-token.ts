// A token that cancels a loop and everything that belongs to it (REQ-033, REQ-140), over an AbortController.

import { LoopError } from "./loop-error.ts";

/** Cancels work. Cancelling a token cancels its children, and never its parent. */
export class CancellationToken {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal | undefined;

  /** `parent`: a signal that cancels this token too. */
  constructor(parent?: AbortSignal) {
    this.#parent = parent;
    if (parent === undefined) return;
    if (parent.aborted) this.#controller.abort(parent.reason);
    // The listener is removed when this token is cancelled, and with the parent's signal.
    else
      parent.addEventListener("abort", () => this.#controller.abort(parent.reason), {
        once: true,
        signal: this.#controller.signal,
      });
  }

  /** The signal that is aborted when the token is cancelled. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  cancel(): void {
    this.#controller.abort();
  }

  isCancelled(): boolean {
    return this.#controller.signal.aborted;
  }

  /** A token that is cancelled together with this one. */
  childToken(): CancellationToken {
    return new CancellationToken(this.signal);
  }

  /** No key and no state of the program is printed. */
  toJSON(): { cancelled: boolean; hasParent: boolean } {
    return { cancelled: this.isCancelled(), hasParent: this.#parent !== undefined };
  }
}

/** The signal of a token, or the signal itself. Throws a LoopError for any other value. */
export function signalOf(cancel: CancellationToken | AbortSignal | undefined): AbortSignal {
  if (cancel === undefined) return new CancellationToken().signal;
  if (cancel instanceof CancellationToken) return cancel.signal;
  const given = cancel as AbortSignal | null;
  if (typeof given?.aborted === "boolean" && typeof given.addEventListener === "function") return given;
  throw new LoopError("`cancel` has to be a CancellationToken or an AbortSignal.");
}
