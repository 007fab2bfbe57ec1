// A run's journal in memory. It can simulate a power failure after a given number of writes: earlier writes are stored, later ones are
// refused, and the promise `cut` resolves.

import type { RunJournal } from "#core/ports/run-journal.ts";
import type { LogRecord, MessageRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";

/** The error of a refused write. */
class PowerCut extends Error {}

export class MemoryJournal implements RunJournal {
  readonly messages: MessageRecord[];
  readonly logs: LogRecord[];
  readonly cut: Promise<void>;
  /** The number of accepted writes. */
  writes = 0;
  #left: number;
  #tellCut: () => void = () => {};

  constructor(rows: { messages: readonly MessageRecord[]; logs: readonly LogRecord[] }, cutAfter = Infinity) {
    this.messages = structuredClone([...rows.messages]);
    this.logs = structuredClone([...rows.logs]);
    this.#left = cutAfter;
    this.cut = new Promise((resolve) => {
      this.#tellCut = resolve;
    });
  }

  get dead(): boolean {
    return this.#left <= 0;
  }

  /** Simulates a power failure now. */
  kill(): void {
    this.#left = 0;
    this.#tellCut();
  }

  append(message: MessageRecord): void {
    this.#write(() => {
      if (this.messages.some(({ id }) => id === message.id)) throw new Error(`message ${message.id} exists`);
      this.messages.push(structuredClone(message));
      this.messages.sort((left, right) => (left.position < right.position ? -1 : 1));
    });
  }

  update(message: MessageRecord): void {
    this.#write(() => {
      const at = this.messages.findIndex(({ id }) => id === message.id);
      if (at === -1) throw new Error(`message ${message.id} does not exist`);
      this.messages.splice(at, 1, structuredClone(message));
    });
  }

  closing(): void {}

  log(record: LogRecord): void {
    this.#write(() => this.logs.push(structuredClone(record)));
  }

  appendQueued(message: MessageRecord): void {
    this.append(message);
  }

  saveRun(_run: RunRecord): void {
    this.#write(() => {});
  }

  #write(work: () => void): void {
    if (this.dead) throw new PowerCut("the power is cut");
    work();
    this.writes += 1;
    this.#left -= 1;
    if (this.dead) this.#tellCut();
  }
}
