// Where the loop's writes go: the thread's store, with the thread's memory kept in step.

import type { RunJournal } from "#core/ports/run-journal.ts";
import type { LogRecord, MessageRecord, RunRecord } from "#core/record.ts";

import type { LiveThread } from "../live-thread.ts";

/** The journal of one drive of a run. */
export class Journal implements RunJournal {
  readonly #live: LiveThread;
  readonly #messages: MessageRecord[];

  /** `messages` are the run's so far. */
  constructor(live: LiveThread, messages: MessageRecord[]) {
    this.#live = live;
    this.#messages = messages;
    live.follow(messages);
  }

  get messages(): readonly MessageRecord[] {
    return this.#messages;
  }

  append(message: MessageRecord): void {
    this.#live.store.insertMessage(message);
    this.#live.joined(message);
    // A tool message takes the place that was reserved for it, which need not be the last.
    this.#messages.sort((left, right) => (left.position < right.position ? -1 : 1));
  }

  update(message: MessageRecord): void {
    this.#live.store.updateMessage(message);
    this.#live.changed(message);
  }

  log(record: LogRecord): void {
    this.#live.store.insertLog(record);
    this.#live.broadcaster.settled();
  }

  saveRun(run: RunRecord): void {
    this.#live.store.updateRun(run);
  }

  /** The run no longer listens. */
  close(): void {
    this.#live.follow(null);
  }
}
