// Deletions that are held back, so that they can be taken back: nothing is sent for eight seconds, and on leaving the page what is
// held is sent at once. Until then what is to go is hidden, not gone.

import type { Timers } from "threadhold/client";

import { createStore } from "../kit/create-store.ts";

/** What sends a deletion. With `leaving` the page is closed, and the request has to outlast it. */
type SendDeletion = (options: { leaving: boolean }) => Promise<void>;

/** What is to go. */
export interface Doomed {
  /** Its own among everything that the page deletes. */
  id: string;
  title: string;
  send: SendDeletion;
}

/** Something that is about to go. */
export interface HeldDeletion extends Doomed {
  /** `held`: can be taken back; `sent`: on its way; `done`: gone; `failed`: it is shown again, with the reason. */
  state: "held" | "sent" | "done" | "failed";
  error: Error | null;
}

/** Milliseconds in which a deletion can be taken back. */
export const holdMs = 8000;

/** The deletions of a page. */
export class HeldDeletions {
  readonly #timers: Timers;
  readonly #store = createStore<readonly HeldDeletion[]>([]);
  readonly #callOffs = new Map<string, () => void>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** All of them; the same list until something changes. */
  readonly get = this.#store.get;

  readonly subscribe = this.#store.subscribe;

  /** Hides something, and deletes it when nobody takes that back. */
  hold({ id, title, send }: Doomed): void {
    this.#callOffs.get(id)?.();
    this.#put({ id, title, send, state: "held", error: null });
    this.#callOffs.set(
      id,
      this.#timers.after(holdMs, () => this.#release(id, false)),
    );
  }

  /** Takes it back; it is shown again. Too late once it was sent. */
  undo(id: string): void {
    const callOff = this.#callOffs.get(id);
    if (callOff === undefined) return;
    callOff();
    this.#callOffs.delete(id);
    this.forget(id);
  }

  /** Sends what is held. */
  leave(): void {
    for (const id of this.#callOffs.keys()) this.#release(id, true);
  }

  /** Says no more of it. */
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
