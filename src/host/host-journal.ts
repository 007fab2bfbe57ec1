// The journal of an in-process run (executed in the caller's process, without a Worker or a thread): a list of messages in memory. Log rows
// are not kept here, and are not created if no function receives them. The run's record is the object that the loop changes in place.

import type { Json } from "#contract/json.ts";
import type { RunJournal } from "#core/ports/run-journal.ts";
import type { LogRecord, MessageRecord } from "#core/record/record.ts";

/** The messages of one run, in the order of their positions. */
export class HostJournal implements RunJournal {
  readonly #messages: MessageRecord[];
  /** Receives the log row of an answer before its calls run. */
  readonly answered: RunJournal["answered"];
  readonly log: RunJournal["log"];
  /** The message of the last answer whose row `answered` received. */
  #answer: Json | undefined;

  /** `onRequest` receives the log row of each model request, as soon as the request has ended. */
  constructor(messages: readonly MessageRecord[], onRequest?: (record: LogRecord) => void) {
    this.#messages = [...messages];
    if (onRequest === undefined) return;
    this.answered = (record) => {
      this.#answer = record.data["message_id"];
      onRequest(record);
    };
    this.log = (record) => {
      const { message_id: answer = null } = record.data;
      if (answer === null || answer !== this.#answer) onRequest(record);
    };
  }

  get messages(): readonly MessageRecord[] {
    return this.#messages;
  }

  append(message: MessageRecord): void {
    const last = this.#messages.at(-1);
    this.#messages.push(message);
    if (last === undefined || last.position < message.position) return;
    // The position of a tool message was reserved earlier, so it need not be the last.
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

  saveRun(): void {}
}
