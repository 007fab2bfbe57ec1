// Sweeps what a thread's files left behind, when the object is awake anyway or the alarm says so. What a bucket does not take
// now is tried again, less and less often. How often it failed stands in the thread's row, since the object is long gone by
// the next try and would else begin anew, a minute at a time for as long as the bucket fails. It is never given up: what is
// noted may be paid for. Where nothing fails nothing is written.

import type { ThreadRecord } from "#core/record.ts";

import type { ObjectContext } from "../object-context.ts";

/** Milliseconds until a sweep is tried again that could not do all: first, and at most. */
const firstRetryMs = 60_000;
const longestRetryMs = 15 * 60_000;

/** One per object. */
export class FileSweeper {
  readonly #context: ObjectContext;

  constructor(context: ObjectContext) {
    this.#context = context;
  }

  /** Never rejects. When the next one is due for what is left, in microseconds; null where nothing is. */
  async sweep(): Promise<number | null> {
    const { files, live, clock, faults } = this.#context;
    if (live.retired) return null;
    const failed = live.record.unswept ?? null;
    if (failed !== null && failed.until > clock.now()) return failed.until;
    try {
      await faults.at("sweep.files");
      const swept = await files.sweep();
      if (live.retired) return null;
      if (failed !== null) this.#keep(null);
      return swept ? null : clock.now() + firstRetryMs * 1000;
    } catch (cause) {
      console.error(JSON.stringify({ event: "files_not_swept", thread_id: live.record.id, cause: causeOf(cause) }));
      if (live.retired) return null;
      const failures = (failed?.failures ?? 0) + 1;
      const pause = Math.min(firstRetryMs * 2 ** (failures - 1), longestRetryMs);
      const until = clock.now() + pause * 1000;
      this.#keep({ failures, until });
      return until;
    }
  }

  #keep(unswept: NonNullable<ThreadRecord["unswept"]> | null): void {
    const { live } = this.#context;
    live.change({ unswept });
    live.save();
  }
}

function causeOf(thrown: unknown): string {
  return String(thrown instanceof Error ? (thrown.cause ?? thrown) : thrown);
}
