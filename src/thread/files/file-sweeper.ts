// Sweeps what a thread's files left behind, when the object is awake anyway or the alarm says so. What a bucket does not take
// now is tried again, less and less often.

import type { ObjectContext } from "../object-context.ts";

/** Milliseconds until a sweep is tried again that could not do all: first, and at most. */
const firstRetryMs = 60_000;
const longestRetryMs = 15 * 60_000;

/** One per object. */
export class FileSweeper {
  readonly #context: ObjectContext;
  #failures = 0;

  constructor(context: ObjectContext) {
    this.#context = context;
  }

  /** Never rejects. False when something is left; then the alarm is set. */
  async sweep(): Promise<boolean> {
    const { files, live, alarm, clock } = this.#context;
    try {
      if (live.retired) return true;
      const swept = await files.sweep();
      this.#failures = 0;
      if (swept) return true;
    } catch (cause) {
      this.#failures += 1;
      console.error(JSON.stringify({ event: "files_not_swept", thread_id: live.record.id, cause: causeOf(cause) }));
    }
    if (live.retired) return true;
    const pause = Math.min(firstRetryMs * 2 ** Math.max(0, this.#failures - 1), longestRetryMs);
    alarm.notAfter(clock.now() / 1000 + pause);
    return false;
  }
}

function causeOf(thrown: unknown): string {
  return String(thrown instanceof Error ? (thrown.cause ?? thrown) : thrown);
}
