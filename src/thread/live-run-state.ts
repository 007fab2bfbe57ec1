// What the object's memory holds of the run that is being executed. Empty while no run is executed.

import type { MessageRecord, RunRecord } from "#core/record.ts";

/** One per loaded thread. */
export class LiveRunState {
  #run: RunRecord | null = null;
  #messages: MessageRecord[] | null = null;
  /** Tool messages of the run whose calls take no results any more. */
  readonly closing = new Set<string>();

  /** The executed run. */
  get run(): RunRecord | null {
    return this.#run;
  }

  /** The messages of the executed run, in order. */
  get messages(): readonly MessageRecord[] | null {
    return this.#messages;
  }

  /** A run is executed from here on; null: none is. */
  execute(run: RunRecord | null): void {
    this.#run = run;
    this.closing.clear();
  }

  /** Keeps this list in step with the stored messages from here on; null ends that. */
  follow(messages: MessageRecord[] | null): void {
    this.#messages = messages;
  }

  /** Adds a message at the end of the list. */
  add(message: MessageRecord): void {
    this.#messages?.push(message);
  }

  /** Puts a changed message in the place of its old version; null deletes it. */
  replace(id: string, message: MessageRecord | null): void {
    const index = this.#messages?.findIndex((one) => one.id === id) ?? -1;
    if (index !== -1) this.#messages?.splice(index, 1, ...(message === null ? [] : [message]));
  }

  /** Returns what puts the list back as it is now, for a transaction that fails. */
  save(): () => void {
    const messages = this.#messages;
    const copy = messages === null ? [] : [...messages];
    return () => {
      messages?.splice(0, messages.length, ...copy);
    };
  }
}
