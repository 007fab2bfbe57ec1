// The alarm of a Durable Object. An object has one alarm, and the heartbeat of a run, the end of a back-off and the background tasks share
// it. Each of them may only set the alarm to an earlier time. The alarm is set to a later time only when the object has no other work. The
// alarm's handler does everything that is due and sets the next alarm.

import type { MeteredStorage } from "#store/meter.ts";

/** Milliseconds from the start of a run's execution to its first heartbeat (architecture §5.2). */
export const firstHeartbeatMs = 5000;

/** The longest pause between two heartbeats: a run that is interrupted right after one resumes no later than this. */
export const longestHeartbeatMs = 15_000;

/** Milliseconds added to a time that has passed, because the platform ignores an alarm that is set to the same time again. */
const overdueMs = 1;

/** Contract: setting the alarm never waits. If the write fails, the platform resets the object and retries the alarm. */
export class Alarm {
  readonly #storage: MeteredStorage;
  #at: number | null;
  /** True if the alarm's time had passed when the object was loaded and the alarm has not fired since: the platform may have dropped it. */
  #overdue: boolean;

  /** `at` is the alarm that the platform has stored; null for none. Both times are milliseconds. */
  constructor(storage: MeteredStorage, at: number | null, now: number) {
    this.#storage = storage;
    this.#at = at;
    this.#overdue = at !== null && at <= now;
  }

  /** The time of the alarm in milliseconds; null if none is set. */
  get at(): number | null {
    return this.#at;
  }

  /** Sets the alarm to `ms`, unless it is set to an earlier time. */
  notAfter(ms: number): void {
    if (this.#at !== null && this.#at <= ms && !this.#overdue) return;
    // Setting a passed alarm to a later time loses no work: the handler of an alarm does everything that is due.
    this.#set(this.#overdue ? Math.min(ms, (this.#at ?? ms) + overdueMs) : ms);
  }

  /** Sets the alarm to `ms`, even if it was set to an earlier time. Called when no other work waits. */
  exactly(ms: number): void {
    const whole = Math.ceil(ms);
    if (this.#at === whole && !this.#overdue) return;
    this.#set(whole);
  }

  /** Deletes the alarm, because no work waits. The deletion writes a row, which costs less than waking the object for nothing. */
  clear(): void {
    if (this.#at === null) return;
    this.#at = null;
    this.#overdue = false;
    void this.#storage.deleteAlarm();
  }

  /** Records that the alarm has fired and none is set. */
  fired(): void {
    this.#at = null;
    this.#overdue = false;
  }

  #set(ms: number): void {
    // Rounds up: an alarm that was rounded down would fire before the work is due.
    const whole = Math.ceil(ms);
    this.#at = whole;
    this.#overdue = false;
    void this.#storage.setAlarm(whole);
  }
}
