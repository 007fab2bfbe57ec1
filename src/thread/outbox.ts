// Brings the catalog up to date: the thread's row after a change, a run's totals exactly once. Losing the catalog for a
// while loses nothing: what is not known to be there stays marked, and the alarm tries again, less and less often. How often
// it failed stands in the row, since the object is gone by the next try.

import { ThreadholdError } from "#contract/error.ts";
import type { RunRecord, ThreadRecord } from "#core/record.ts";
import { toThread } from "#core/view.ts";
import type { CatalogEntry } from "#store/catalog/catalog.ts";
import type { RunTotal } from "#store/catalog/run-total.ts";

import type { ObjectContext } from "./object-context.ts";

/** First pause after a failure, in milliseconds. */
const firstRetryMs = 5000;
const longestRetryMs = 15 * 60_000;

/** One per object. */
export class Outbox {
  readonly #context: ObjectContext;
  #running: Promise<void> | null = null;
  #again = false;

  constructor(context: ObjectContext) {
    this.#context = context;
  }

  /** Marks the thread as changed; written with the row that the caller is about to write. */
  mark(runId?: string): void {
    const { live } = this.#context;
    const { runs, ...outbox } = live.record.outbox;
    live.change({ outbox: { ...outbox, dirty: true, runs: runId === undefined ? runs : [...runs, runId] } });
  }

  /** True while the catalog has still to hear something. */
  get pending(): boolean {
    return this.#context.live.record.outbox.dirty;
  }

  /** When what failed is due again, in microseconds; null where nothing did. */
  get retryAt(): number | null {
    const { dirty, retry } = this.#context.live.record.outbox;
    return dirty ? (retry?.at ?? null) : null;
  }

  /**
   * What the catalog may not have of runs that ended, and of the one that the thread's deletion ends: as it stands, and once
   * only, should it come to its own end all the same.
   */
  settle(active: RunRecord | null): Promise<void> {
    const { live, catalog, clock } = this.#context;
    const isOurs = active !== null && ranHere(active, live.record);
    const cut = isOurs ? runTotals({ ...active, ended_at: active.ended_at ?? clock.now() }, live.record) : [];
    const totals = [...totalsOf(this.#context, live.record.outbox.runs), ...cut];
    return totals.length > 0 ? catalog.addRunTotals(totals) : Promise.resolve();
  }

  /** Sends what is marked, in the background; a flush under way is followed by one more. */
  flush(): Promise<void> {
    if (this.#running !== null) {
      this.#again = true;
      return this.#running;
    }
    this.#running = this.#flushAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #flushAll(): Promise<void> {
    do {
      this.#again = false;
      await this.#context.faults.at("outbox.flush");
      if (!(await this.#flushOnce())) return;
    } while (this.#again);
  }

  /** False when it failed: the alarm tries again. */
  async #flushOnce(): Promise<boolean> {
    const { live, catalog, clock, faults } = this.#context;
    const { outbox } = live.record;
    if (!outbox.dirty) return true;
    try {
      await faults.at("outbox.send");
      await catalog.flush(entryOf(this.#context), totalsOf(this.#context, outbox.runs));
    } catch (cause) {
      if (cause instanceof ThreadholdError && cause.code === "too_large") {
        // It will never fit: trying again would only wake the thread for ever.
        console.error(JSON.stringify({ event: "catalog_refused", thread_id: live.record.id, cause: cause.message }));
        live.change({ outbox: { dirty: false, runs: [] } });
        return true;
      }
      console.error(JSON.stringify({ event: "catalog_unreachable", thread_id: live.record.id, cause: causeOf(cause) }));
      if (live.retired) return false;
      const known = live.record.outbox;
      const failures = (known.retry?.failures ?? 0) + 1;
      const pause = Math.min(firstRetryMs * 2 ** (failures - 1), longestRetryMs);
      live.change({ outbox: { ...known, retry: { failures, at: clock.now() + pause * 1000 } } });
      live.save();
      return false;
    }
    // The mark is taken off in memory and written with the next row: a crash before that sends the same again, and the
    // catalog counts a run once.
    const sent = new Set(outbox.runs);
    const runs = live.record.outbox.runs.filter((id) => !sent.has(id));
    const failed = live.record.outbox.retry !== undefined;
    live.change({ outbox: { dirty: runs.length > 0 || live.record.outbox !== outbox, runs } });
    if (failed && !live.retired) live.save();
    return true;
  }
}

/** The failure of the database, without the refusal that wraps it for callers. */
function causeOf(thrown: unknown): string {
  return String(thrown instanceof ThreadholdError ? (thrown.cause ?? thrown) : thrown);
}

/** The thread as the catalog lists it. */
export function entryOf({ live }: Pick<ObjectContext, "live">): CatalogEntry {
  const thread = { ...toThread(live.record), last_seq: live.lastSeq };
  const { last_message, imported_at } = live.record;
  return { thread, lastMessage: last_message, version: live.lastSeq, since: imported_at };
}

function totalsOf({ live }: ObjectContext, runIds: readonly string[]): RunTotal[] {
  return runIds.flatMap((id) => {
    const run = live.store.run(id);
    return run === null ? [] : runTotals(run, live.record);
  });
}

/** Whether a run began in this deployment: what others used was used, and is counted, where it was. */
export function ranHere({ started_at, created_at }: RunRecord, { imported_at = 0 }: Readonly<ThreadRecord>): boolean {
  return (started_at ?? created_at) >= imported_at;
}

/** A run's totals, one row a model. */
export function runTotals(run: RunRecord, thread: { id: string; user_id: string | null }): RunTotal[] {
  return Object.entries(run.spent).map(([model, { usage, cost }]) => ({
    run_id: run.id,
    model,
    ended_at: run.ended_at ?? run.created_at,
    agent_id: run.agent_id,
    user_id: thread.user_id,
    thread_id: thread.id,
    status: run.status,
    usage,
    cost,
  }));
}
