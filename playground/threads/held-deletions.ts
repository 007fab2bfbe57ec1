// Deletions that can be undone: the request is sent after eight seconds, or at once when the page is left. Until then
// the item is only hidden.

import type { Timers } from "threadhold/client";

import { createStore } from "../kit/create-store.ts";

/** Sends a deletion. If `leaving` is true, the page is being closed, and the request has to outlast it. */
type SendDeletion = (options: { leaving: boolean }) => Promise<void>;

/** An item to delete. */
export interface PendingDeletion {
  /** Unique among everything that the page deletes. */
  id: string;
  title: string;
  send: SendDeletion;
}

/** A deletion with its state. */
export interface HeldDeletion extends PendingDeletion {
  /**
   * `held`: can be undone; `sent`: the request is on its way; `done`: deleted; `failed`: the item is shown again, with
   * the reason.
   */
  state: "held" | "sent" | "done" | "failed";
  error: Error | null;
}

/** Milliseconds in which a deletion can be undone. */
export const holdMs = 8000;

/** The deletions of a page. */
export class HeldDeletions {
  readonly #timers: Timers;
  readonly #store = createStore<readonly HeldDeletion[]>([]);
  readonly #callOffs = new Map<string, () => void>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** All deletions; the same list until something changes. */
  readonly get = this.#store.get;

  readonly subscribe = this.#store.subscribe;

  /** Hides an item, and deletes it unless the user undoes that. */
  hold({ id, title, send }: PendingDeletion): void {
    this.#callOffs.get(id)?.();
    this.#put({ id, title, send, state: "held", error: null });
    this.#callOffs.set(
      id,
      this.#timers.after(holdMs, () => this.#release(id, false)),
    );
  }

  /** Shows the item again. It has no effect once the request was sent. */
  undo(id: string): void {
    const callOff = this.#callOffs.get(id);
    if (callOff === undefined) return;
    callOff();
    this.#callOffs.delete(id);
    this.forget(id);
  }

  /** Sends all held deletions. */
  leave(): void {
    for (const id of this.#callOffs.keys()) this.#release(id, true);
  }

  /** Removes a deletion from the list. */
  forget(id: string): void {
    this.#store.set(this.#store.get().filter((one) => one.id !== id));
  }

  #release(id: string, leaving: boolean): void {
    const held = this.#store.get().find((one) => one.id === id);
    this.#callOffs.get(id)?.();
    this.#callOffs.delete(id);
    if (held === undefined) return;
    this.#put({ ...held, state: "sent" });
    held.send({ leaving }).then(
      () => this.#put({ ...held, state: "done" }),
      (thrown: unknown) => {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        this.#put({ ...held, state: "failed", error });
      },
    );
  }

  #put(deletion: HeldDeletion): void {
    this.#store.set([...this.#store.get().filter((one) => one.id !== deletion.id), deletion]);
  }
}
