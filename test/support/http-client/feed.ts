// A subscription as its reader sees it, with either transport: the events in the order of their arrival, each checked
// against the contract's schema, and whether each names the number of the event before it.

import { eventSchema } from "#contract/event.ts";
import type { EventOf, EventType, ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";
import type { ThreadView } from "#contract/fold.ts";

import { timeoutMs, within } from "./deadline.ts";

interface Waiter {
  test: () => boolean;
  resolve: () => void;
  reject: (reason: Error) => void;
}

/** One subscription. */
export class RecordedSubscription {
  readonly events: ThreadEvent[] = [];
  /** Violations of the protocol: numbers that do not rise, frames that do not follow each other. */
  readonly faults: string[] = [];
  /** How the subscription ended; null while it is open. `end` is the contract's mark for an idle thread. */
  ending: string | null = null;
  #waiters: Waiter[] = [];
  readonly #leave: () => void;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  /** Takes one event as it was received. After `close`, events that were on their way are ignored. */
  take(json: string): void {
    if (this.ending === "left") return;
    const event = eventSchema.parse(JSON.parse(json));
    const before = this.events.at(-1);
    if (before !== undefined) {
      if (event.seq <= before.seq) this.faults.push(`${String(event.seq)} after ${String(before.seq)}`);
      if (event.prev !== before.seq) {
        this.faults.push(`${String(event.seq)} follows ${String(event.prev)}, not ${String(before.seq)}`);
      }
    }
    this.events.push(event);
    this.#wake();
  }

  /** Ends the subscription: no event follows. */
  end(how: string): void {
    this.ending ??= how;
    this.#wake();
  }

  /** Closes the subscription, as a reader that needs no further events does. */
  close(): void {
    this.#leave();
    this.end("left");
  }

  /** Waits for an event of this type that satisfies `test`. Earlier events count too. */
  async until<T extends EventType>(
    type: T,
    test: (event: EventOf<T>) => boolean = () => true,
    milliseconds = timeoutMs,
  ): Promise<EventOf<T>> {
    const find = (): EventOf<T> | undefined =>
      this.events.find((event): event is EventOf<T> => event.type === type && test(event as EventOf<T>));
    await this.#wait(() => find() !== undefined, `an event "${type}"`, milliseconds);
    return find() as EventOf<T>;
  }

  /** Waits until this many events of a type have arrived. */
  async untilCount(type: EventType, count: number): Promise<void> {
    const enough = (): boolean => this.events.filter((event) => event.type === type).length >= count;
    await this.#wait(enough, `${String(count)} events "${type}"`);
  }

  /** Waits until the subscription ends, and returns how it ended. */
  async untilEnd(milliseconds = timeoutMs): Promise<string> {
    await this.#wait(() => this.ending !== null, "the end of the subscription", milliseconds);
    return this.ending ?? "";
  }

  /** The view that a client would show. Throws if a frame was lost or arrived twice. */
  view(from?: ThreadView): ThreadView {
    if (this.faults.length > 0) throw new Error(`The subscription is broken: ${this.faults.join("; ")}`);
    return foldAll(this.events, from);
  }

  get lastSeq(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  ofType<T extends EventType>(type: T): EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> => event.type === type);
  }

  async #wait(test: () => boolean, what: string, milliseconds = timeoutMs): Promise<void> {
    if (test()) return;
    const came = new Promise<void>((resolve, reject) => {
      this.#waiters.push({ test, resolve, reject });
      if (this.ending !== null) this.#wake();
    });
    await within(milliseconds, () => `${what}; ${this.#story()}`, came);
  }

  #wake(): void {
    this.#waiters = this.#waiters.filter(({ test, resolve, reject }) => {
      if (test()) resolve();
      else if (this.ending === null) return true;
      else reject(new Error(`Ended ("${this.ending}") too early; ${this.#story()}`));
      return false;
    });
  }

  #story(): string {
    return `came: ${this.events.map(({ seq, type }) => `${String(seq)} ${type}`).join(", ")}`;
  }
}
