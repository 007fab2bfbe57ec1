// Keeps the catalog (the deployment's database of threads) up to date: the thread's entry after a change, and the totals of each ended run
// exactly once. The thread's row marks what has to be sent, so nothing is lost while the catalog cannot be reached.

import { ThreadholdError } from "#contract/error.ts";
import type { ThreadRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { toListedThread } from "#core/record/view.ts";
import { causeOf } from "#lib/log-port.ts";
import type { CatalogEntry } from "#store/catalog/catalog.ts";
import type { RunTotal } from "#store/catalog/run-total.ts";

import { nextRetry } from "../background-task.ts";
import type { BackgroundTask } from "../background-task.ts";
import type { DeployedThread, LiveThread } from "../live/live-thread.ts";

/** Pauses after failures, in milliseconds. */
const pauses = { firstMs: 5000, longestMs: 15 * 60_000 };

/** Sends changes of one thread to the catalog. Each thread's object has one such task. */
export class CatalogTask implements BackgroundTask {
  readonly #context: DeployedThread;
  #running: Promise<void> | null = null;
  #again = false;

  constructor(context: DeployedThread) {
    this.#context = context;
  }

  get pending(): boolean {
    return this.#context.live.record.background.catalog.dirty;
  }

  get dueAt(): number | null {
    const { dirty, retry } = this.#context.live.record.background.catalog;
    return dirty ? (retry?.at ?? null) : null;
  }

  /** Sends the marked data. If it is called while data is being sent, the data is sent once more afterwards. */
  run(): Promise<void> {
    if (this.#running !== null) {
      this.#again = true;
      return this.#running;
    }
    this.#running = this.#sendAll().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #sendAll(): Promise<void> {
    do {
      this.#again = false;
      await this.#context.deployment.faults.at("outbox.flush");
      if (!(await this.#sendOnce())) return;
    } while (this.#again);
  }

  /** Sends the marked data once. Returns false if that failed. */
  async #sendOnce(): Promise<boolean> {
    const { live } = this.#context;
    const { catalog, faults, log } = this.#context.deployment;
    const { catalog: mark } = live.record.background;
    if (!mark.dirty) return true;
    try {
      await faults.at("outbox.send");
      await catalog.flush(entryOf(live), totalsOf(live, mark.runs));
    } catch (cause) {
      if (cause instanceof ThreadholdError && cause.code === "too_large") {
        // The catalog refuses an entry of this size each time, so a retry would wake the thread for nothing.
        log("error", "catalog_refused", { thread_id: live.record.id, cause: cause.message });
        live.changeBackground({ catalog: { dirty: false, runs: [] } });
        return true;
      }
      log("error", "catalog_unreachable", { thread_id: live.record.id, cause: causeOf(cause) });
      if (live.retired) return false;
      const current = live.record.background.catalog;
      live.changeBackground({
        catalog: { ...current, retry: nextRetry(current.retry, this.#context.deployment, pauses) },
      });
      live.save();
      return false;
    }
    // The mark is removed in memory only; the next write of the row stores that. After a crash before that write the same data is sent
    // again, and the catalog counts a run once.
    const sent = new Set(mark.runs);
    const runs = live.record.background.catalog.runs.filter((id) => !sent.has(id));
    const failed = live.record.background.catalog.retry !== undefined;
    live.changeBackground({ catalog: { dirty: runs.length > 0 || live.record.background.catalog !== mark, runs } });
    if (failed && !live.retired) live.save();
    return true;
  }
}

/** The thread as the catalog lists it. */
export function entryOf(live: LiveThread): CatalogEntry {
  const thread = { ...toListedThread(live.record), last_seq: live.lastSeq };
  const { last_message, imported_at } = live.record;
  return { thread, lastMessage: last_message, version: live.lastSeq, since: imported_at };
}

function totalsOf(live: LiveThread, runIds: readonly string[]): RunTotal[] {
  return runIds.flatMap((id) => {
    const run = live.store.run(id);
    return run === null ? [] : runTotals(run, live.record);
  });
}

/** Whether a run began in this deployment. The usage of imported runs is counted where they ran. */
export function ranHere({ started_at, created_at }: RunRecord, { imported_at = 0 }: Readonly<ThreadRecord>): boolean {
  return (started_at ?? created_at) >= imported_at;
}

/** A run's totals, one row for each model. */
export function runTotals(
  run: RunRecord,
  thread: { id: string; user_id: string | null },
  ended_at = run.ended_at ?? run.created_at,
): RunTotal[] {
  return Object.entries(run.spent).map(([model, { usage, cost }]) => ({
    run_id: run.id,
    model,
    ended_at,
    agent_id: run.agent_id,
    user_id: thread.user_id,
    thread_id: thread.id,
    status: run.status,
    usage,
    cost,
  }));
}
