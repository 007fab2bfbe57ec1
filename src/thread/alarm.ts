// The object's one alarm, shared by everything that waits: the heartbeat of a run, the end of a back-off, the outbox. It is
// moved to an earlier time by whoever waits, and to a later one only by a rest, when nothing else does; whoever wakes up
// looks at what is due and asks again.

import type { MeteredStorage } from "#store/meter.ts";

/** First heartbeat of a run, in milliseconds (architecture §5.2). */
export const firstHeartbeatMs = 5000;

/** Longest pause between two heartbeats: a run cut right after one is taken up no later than this. */
export const longestHeartbeatMs = 15_000;

/** Put on top of a time that is over, since the platform takes the same time again for no change. */
const overdueMs = 1;

/** Contract: setting never waits; a write that fails resets the object, which the platform's own retries repair. */
export class Alarm {
  readonly #storage: MeteredStorage;
  #at: number | null;
  /** The time was over when the object was loaded, and no call has come yet: the platform may have given it up. */
  #overdue: boolean;

  /** `at` is what the platform has set, `now` the time, in milliseconds. */
  constructor(storage: MeteredStorage, at: number | null, now: number) {
    this.#storage = storage;
    this.#at = at;
    this.#overdue = at !== null && at <= now;
  }

  /** Milliseconds of the next call, or null. */
  get at(): number | null {
    return this.#at;
  }

  /** Wakes the object at `ms` at the latest. */
  notAfter(ms: number): void {
    if (this.#at !== null && this.#at <= ms && !this.#overdue) return;
    // Who waited for the time that is over is not forgotten: whoever is called looks at everything that is due.
    this.#set(this.#overdue ? Math.min(ms, (this.#at ?? ms) + overdueMs) : ms);
  }

  /** Nothing else is waited for, so the object sleeps until then. */
  exactly(ms: number): void {
    const whole = Math.ceil(ms);
    if (this.#at === whole && !this.#overdue) return;
    this.#set(whole);
  }

  /** Nothing is waited for any more. A row written, and cheaper than the wake it saves. */
  clear(): void {
    if (this.#at === null) return;
    this.#at = null;
    this.#overdue = false;
    void this.#storage.deleteAlarm();
  }

  /** The alarm went off: nothing is set any more. */
  fired(): void {
    this.#at = null;
    this.#overdue = false;
  }

  #set(ms: number): void {
    // Cut off, a part of a millisecond would wake the object before what it waits for is due.
    const whole = Math.ceil(ms);
    this.#at = whole;
    this.#overdue = false;
    void this.#storage.setAlarm(whole);
  }
}
