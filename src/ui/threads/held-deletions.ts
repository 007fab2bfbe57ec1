// Deletions that are held back, so that they can be taken back: nothing is sent for eight seconds, and on leaving the page what is
// held is sent at once. Until then the threads are hidden, not gone.

import type { Timers } from "#lib/timers.ts";

/** A thread that is about to go. */
export interface HeldDeletion {
  id: string;
  title: string;
  /** `held`: can be taken back; `sent`: on its way or done; `failed`: the thread is shown again, with the reason. */
  state: "held" | "sent" | "failed";
  error: Error | null;
}

/** What sends a deletion. With `leaving` the page is closed, and the request has to outlast it. */
export type SendDeletion = (id: string, options: { leaving: boolean }) => Promise<void>;

/** Milliseconds in which a deletion can be taken back. */
export const holdMs = 8000;

/** The deletions of a page. */
export class HeldDeletions {
  readonly #send: SendDeletion;
  readonly #timers: Timers;
  readonly #listeners = new Set<() => void>();
  readonly #callOffs = new Map<string, () => void>();
  #all: readonly HeldDeletion[] = [];

  constructor(send: SendDeletion, timers: Timers) {
    this.#send = send;
    this.#timers = timers;
  }

  /** All of them; the same list until something changes. */
  readonly picture = (): readonly HeldDeletion[] => this.#all;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Hides a thread, and deletes it when nobody takes that back. */
  hold({ id, title }: { id: string; title: string }): void {
    this.#put({ id, title, state: "held", error: null });
    this.#callOffs.set(
      id,
      this.#timers.after(holdMs, () => this.#release(id, false)),
    );
  }

  /** Takes it back; the thread is shown again. Too late once it was sent. */
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
    this.#set(this.#all.filter((one) => one.id !== id));
  }

  #release(id: string, leaving: boolean): void {
    const held = this.#all.find((one) => one.id === id);
    this.#callOffs.get(id)?.();
    this.#callOffs.delete(id);
    if (held === undefined) return;
    this.#put({ ...held, state: "sent" });
    this.#send(id, { leaving }).catch((thrown: unknown) => {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#put({ ...held, state: "failed", error });
    });
  }

  #put(deletion: HeldDeletion): void {
    this.#set([...this.#all.filter((one) => one.id !== deletion.id), deletion]);
  }

  #set(all: readonly HeldDeletion[]): void {
    this.#all = all;
    for (const listener of this.#listeners) listener();
  }
}
