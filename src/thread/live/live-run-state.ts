// The executed run and its messages in the object's memory. Both are null while no run is executed.

import type { MessageRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";

import { OpenQuestions } from "./open-questions.ts";

/** The executed run of one loaded thread. */
export class LiveRunState {
  #run: RunRecord | null = null;
  #messages: MessageRecord[] | null = null;
  /** Ids of the run's tool messages whose calls accept no results any more. */
  readonly closing = new Set<string>();
  /** The questions that calls of the run ask. */
  readonly questions = new OpenQuestions();

  get run(): RunRecord | null {
    return this.#run;
  }

  /** The messages of the executed run, in order. */
  get messages(): readonly MessageRecord[] | null {
    return this.#messages;
  }

  /** Sets the run that is executed from now on; null for none. */
  execute(run: RunRecord | null): void {
    this.#run = run;
    this.closing.clear();
  }

  /** Sets the list of the executed run's messages, which `add` and `replace` change from now on. With null, they change nothing. */
  follow(messages: MessageRecord[] | null): void {
    this.#messages = messages;
  }

  /** Adds a message at the end of the list. */
  add(message: MessageRecord): void {
    this.#messages?.push(message);
  }

  /** Replaces a message by its changed version; null removes it. */
  replace(id: string, message: MessageRecord | null): void {
    const index = this.#messages?.findIndex((one) => one.id === id) ?? -1;
    if (index !== -1) this.#messages?.splice(index, 1, ...(message === null ? [] : [message]));
  }

  /** Returns a function that restores the list's current state, for a transaction that fails. */
  save(): () => void {
    const messages = this.#messages;
    const copy = messages === null ? [] : [...messages];
    return () => {
      messages?.splice(0, messages.length, ...copy);
    };
  }
}
