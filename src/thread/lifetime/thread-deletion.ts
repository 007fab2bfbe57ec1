// Deletes a thread with everything that belongs to it: its entry in the catalog (the deployment's index of all threads), its child threads,
// its objects in the bucket and its rows. Contract: a mark in the thread's row is written first and is never removed. From then on the thread
// does not exist for its callers. Attempts follow, by requests and by the alarm, until everything is deleted. A crash or a failure at any
// point repeats an attempt, and each step of an attempt may be repeated.

import { refuse, ThreadholdError, webSocketCloseCode } from "#contract/error.ts";
import type { DeletionRecord, ThreadRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { isActive } from "#core/record/run-state.ts";
import { peerCaller } from "#core/rpc/thread-peer.ts";
import { causeOf } from "#lib/log-port.ts";
import type { RunTotal } from "#store/catalog/run-total.ts";
import { emptyBucket } from "#store/files/file-bucket.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import { longestHeartbeatMs } from "../alarm.ts";
import type { Alarm } from "../alarm.ts";
import { nextRetry } from "../background-task.ts";
import { ranHere, runTotals } from "../background/catalog-task.ts";
import { notifyParentOfDeletion } from "../children/removal.ts";
import type { Deployment } from "../deployment.ts";
import type { OpenThread } from "../method/loaded-thread.ts";
import type { OwnerFeed } from "../owner-feed.ts";

/** Pauses after failed attempts, in milliseconds. */
const pauses = { firstMs: 2000, longestMs: 15 * 60_000 };

/** Child threads that are deleted at the same time, and at most in one attempt. */
const childrenAtOnce = 10;
const childrenOfAttempt = 500;

/** The thread's row while the thread is being deleted. */
type DeletedRecord = ThreadRecord & { deletion: DeletionRecord };

/** Dependencies of the deletion. */
export interface DeletionParts {
  /** The object's rows. The loaded thread may not access them any more. */
  store: ManagedThreadStore;
  deployment: Deployment;
  alarm: () => Alarm;
  /** The thread in memory; null if it is not loaded. */
  inMemory: () => OpenThread | null;
  ownerFeed: OwnerFeed;
}

/** The deletion of one object's thread. */
export class ThreadDeletion {
  readonly #parts: DeletionParts;
  /** `created_at` of the thread that the current attempt deletes. */
  #createdAt: number | undefined;

  constructor(parts: DeletionParts) {
    this.#parts = parts;
  }

  /** Stores that the thread is being deleted, and stops its run. Synchronous: no other request comes in between. */
  begin({ deployment, live, files, driver }: OpenThread, byParent: boolean): void {
    live.transaction(() => {
      live.change({ deletion: { at: deployment.clock.now(), ...(byParent ? { by_parent: true as const } : {}) } });
      live.save();
    });
    this.wakeAgain();
    driver.close();
    files.close();
    driver.stop(null);
  }

  /** Sets an alarm that repeats an attempt which a crash interrupts. */
  wakeAgain(): void {
    const { deployment, alarm } = this.#parts;
    alarm().notAfter(deployment.clock.now() / 1000 + longestHeartbeatMs);
  }

  /**
   * Deletes what remains. If a part cannot be deleted, the others are, and the alarm is set for the next attempt; then throws `unavailable`.
   */
  async attempt(): Promise<void> {
    const { store, deployment } = this.#parts;
    const { faults } = deployment;
    const problems: unknown[] = [];
    this.#createdAt = store.readThread()?.created_at;
    const steps: (() => void | Promise<void>)[] = [
      // First, so that the stopped run can store its end meanwhile.
      () => this.#removeEntry(),
      () => this.#retire(),
      () => this.#removeChildren(),
      () => this.#notifyParent(),
      () => this.#removeObjects(),
      () => this.#countUsage(),
    ];
    for (const step of steps) {
      try {
        await faults.at("deletion.step");
        await step();
      } catch (thrown) {
        problems.push(thrown);
      }
    }
    if (problems.length === 0) {
      try {
        if (this.#record === null) throw refuse("thread_not_found", "There is no such thread.");
        await faults.at("deletion.rows");
        await store.destroy();
        return;
      } catch (thrown) {
        problems.push(thrown);
      }
    }
    throw this.#postpone(problems);
  }

  /** The row of the thread that the attempt deletes; null if it does not exist any more, or if the row is another thread's. */
  get #record(): DeletedRecord | null {
    const record = this.#parts.store.readThread();
    if (record?.deletion === undefined || record.created_at !== this.#createdAt) return null;
    return record as DeletedRecord;
  }

  async #removeEntry(): Promise<void> {
    const { catalog, clock, faults } = this.#parts.deployment;
    const record = this.#record;
    if (record === null) return;
    const { id, created_at, imported_at = created_at } = record;
    await faults.at("deletion.entry");
    await catalog.remove({ threadId: id, createdAt: imported_at, now: clock.now() });
  }

  /**
   * Ends the thread in memory: nothing of it is written any more, so that the rows are final. Its readers are disconnected. The owner's
   * feed receives the deletion, also if the thread is not in memory: a crash may have come before that. A repeated message has no effect.
   */
  #retire(): void {
    const { inMemory, ownerFeed } = this.#parts;
    const open = inMemory();
    const record = this.#record;
    if (record === null || open?.live.retired === true) return;
    if (open !== null) {
      const { driver, live } = open;
      const { activeRun } = driver;
      // The run in memory may have used more than its row states.
      if (activeRun !== null) live.store.updateRun(activeRun);
      live.broadcaster.closeAll(webSocketCloseCode("thread_not_found"), "The thread was deleted.");
      driver.abandon();
    }
    ownerFeed.deleted(record);
  }

  /** Deletes child threads, which delete their own. The row lists those that remain, so that a crash repeats little. */
  async #removeChildren(): Promise<void> {
    const { store, deployment } = this.#parts;
    const { faults } = deployment;
    let waiting = this.#record?.children ?? [];
    const failed: string[] = [];
    for (let count = 0; waiting.length > 0 && count < childrenOfAttempt; count += childrenAtOnce) {
      const batch = waiting.slice(0, childrenAtOnce);
      await faults.at("deletion.children");
      const removed = await Promise.all(batch.map((id) => this.#removeChild(id)));
      waiting = waiting.slice(childrenAtOnce);
      failed.push(...batch.filter((_, index) => removed[index] !== true));
      const record = this.#record;
      if (record === null) return;
      // Those that failed are last, so that they do not keep an attempt from the others.
      store.writeThread({ ...record, children: [...waiting, ...failed] });
    }
    if (failed.length > 0) throw refuse("unavailable", "A child of this thread could not be deleted.");
    if (waiting.length > 0) throw new Unfinished();
  }

  /** Whether a child thread is deleted. */
  async #removeChild(id: string): Promise<boolean> {
    const { threads, log, faults } = this.#parts.deployment;
    try {
      await faults.at("deletion.child");
      const answer = await threads(id).call("remove", peerCaller, true);
      return answer.ok || answer.refusal.code === "thread_not_found";
    } catch (cause) {
      log("warning", "child_not_deleted", { thread_id: id, cause: causeOf(cause) });
      return false;
    }
  }

  async #notifyParent(): Promise<void> {
    const { store, deployment } = this.#parts;
    const record = this.#record;
    if (record === null || record.deletion.by_parent === true) return;
    await deployment.faults.at("deletion.parent");
    await notifyParentOfDeletion(record, store, deployment);
  }

  async #removeObjects(): Promise<void> {
    const { files, faults } = this.#parts.deployment;
    const id = this.#record?.id;
    if (files.bucket === null || id === undefined) return;
    await faults.at("deletion.bucket");
    await emptyBucket(files.bucket, id);
  }

  /** Sends the totals that the catalog may lack: those of ended runs, and those of the run that the deletion ended. */
  async #countUsage(): Promise<void> {
    const { store, deployment, inMemory } = this.#parts;
    const record = this.#record;
    // Until the thread in memory has ended, its run may use more. The catalog ignores a larger total that follows a smaller one.
    if (record === null || inMemory()?.live.retired === false) return;
    const { active_run_id, background } = record;
    const ids = new Set([...background.catalog.runs, ...(active_run_id === null ? [] : [active_run_id])]);
    const totals = [...ids].flatMap((id) => totalsOfDeleted(store.run(id), record));
    if (totals.length === 0) return;
    await deployment.faults.at("deletion.usage");
    await deployment.catalog.addRunTotals(totals);
  }

  /** Stores and logs a failed attempt, and sets the alarm for the next one. Returns the error for the caller. */
  #postpone(problems: readonly unknown[]): ThreadholdError {
    const { store, deployment, alarm } = this.#parts;
    const { clock, log } = deployment;
    const failures = problems.filter((problem) => !(problem instanceof Unfinished));
    const [cause] = failures;
    const record = this.#record;
    if (record === null) return refuse("thread_not_found", "There is no such thread.");
    if (cause === undefined) {
      alarm().exactly(clock.now() / 1000);
      return continuing("It has many child threads.");
    }
    const retry = nextRetry(record.deletion.retry, deployment, pauses);
    log("error", "deletion_failed", { thread_id: record.id, failures: retry.failures, cause: causeOf(cause) });
    store.writeThread({ ...record, deletion: { ...record.deletion, retry } });
    alarm().exactly(retry.at / 1000);
    return continuing(cause instanceof ThreadholdError ? cause.message : "An error occurred inside the server.");
  }
}

/** Everything that was tried succeeded, and more remains. */
class Unfinished extends Error {}

function continuing(reason: string): ThreadholdError {
  const message = `The thread is deleted for its clients. ${reason} The deletion of its data continues in the background.`;
  return new ThreadholdError({ code: "unavailable", message, retry_after_ms: pauses.firstMs });
}

/**
 * The totals of a run of a deleted thread. A run without an end counts as ended when the deletion began, which is the same at each attempt:
 * the catalog recognises a repeated total by its run and its day.
 */
function totalsOfDeleted(run: RunRecord | null, record: DeletedRecord): RunTotal[] {
  if (run === null || run.status === "queued" || !ranHere(run, record)) return [];
  return runTotals(run, record, isActive(run) ? record.deletion.at : undefined);
}
