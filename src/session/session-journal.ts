// Where the loop of a session writes: a list in memory. Logs are not kept.

import type { RunJournal } from "#core/ports/run-journal.ts";
import type { MessageRecord } from "#core/record.ts";

/** The messages of one run. */
export class SessionJournal implements RunJournal {
  readonly #messages: MessageRecord[];

  constructor(messages: readonly MessageRecord[]) {
    this.#messages = [...messages];
  }

  get messages(): readonly MessageRecord[] {
    return this.#messages;
  }

  append(message: MessageRecord): void {
    this.#messages.push(message);
    // A tool message takes the place that was reserved for it, which need not be the last.
    this.#messages.sort((left, right) => (left.position < right.position ? -1 : 1));
  }

  update(message: MessageRecord): void {
    const at = this.#messages.findIndex(({ id }) => id === message.id);
    if (at !== -1) this.#messages[at] = message;
  }

  appendQueued(message: MessageRecord): void {
    this.append(message);
  }

  closing(): void {}

  log(): void {}

  saveRun(): void {}
}
