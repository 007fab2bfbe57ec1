// The mark that an object stores instead of a thread's row while it imports a thread, so that no request sees a partial thread. An import
// that fails, or that a crash interrupts, is destroyed with everything it wrote. The code that reads an export is loaded with the first
// import, and this file with the object, because any object may have to destroy an import.

import { causeOf } from "#lib/log-port.ts";
import { emptyBucket } from "#store/files/file-bucket.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import type { Alarm } from "../alarm.ts";
import { retryPauseMs } from "../background-task.ts";
import type { Deployment } from "../deployment.ts";

/** Milliseconds between two alarms while lines are read. The first alarm after a crash finds the mark and destroys the import. */
const wakeMs = 30_000;

/** Pauses until a failed destruction is retried, in milliseconds. */
const pauses = { firstMs: 60_000, longestMs: 60_000 };

/** Dependencies of a mark. */
export interface ImportMarkParts {
  store: ManagedThreadStore;
  deployment: Deployment;
  alarm: () => Alarm;
  /** Removes the loaded thread and the alarm from memory, after their storage was destroyed. */
  unload: () => void;
}

/** The mark of one object. Each object has one instance. */
export class ImportMark {
  readonly #parts: ImportMarkParts;
  #inUse = false;
  #undoing: Promise<void> = Promise.resolve();

  constructor(parts: ImportMarkParts) {
    this.#parts = parts;
  }

  /** Whether an import is in progress. */
  get isInUse(): boolean {
    return this.#inUse;
  }

  /**
   * Stores the mark and does the work of an import, which replaces the mark by the thread's row. If the work throws, everything that it
   * wrote is destroyed. A failed destruction is retried.
   */
  async during<T>(threadId: string, work: () => Promise<T>): Promise<T> {
    this.#inUse = true;
    this.#parts.store.beginImport(threadId);
    this.#wakeAgain();
    try {
      return await work();
    } catch (thrown) {
      this.#undoing = this.#destroy(threadId);
      await this.#undoing;
      throw thrown;
    } finally {
      this.#inUse = false;
    }
  }

  /** Handles an alarm while the mark exists: sets the next alarm if an import is in progress, else destroys the interrupted import. */
  async handleAlarm(): Promise<void> {
    if (this.#inUse) this.#wakeAgain();
    else await this.removeUnfinished();
  }

  /** Destroys an import that a crash or reset of the object interrupted, and waits for a destruction in progress. Never rejects. */
  async removeUnfinished(): Promise<void> {
    await this.#undoing;
    const left = this.#inUse ? null : this.#parts.store.importing();
    if (left !== null) await this.#destroy(left);
  }

  #wakeAgain(): void {
    const { deployment, alarm } = this.#parts;
    alarm().notAfter(deployment.clock.now() / 1000 + wakeMs);
  }

  async #destroy(threadId: string): Promise<void> {
    const { deployment, store, alarm, unload } = this.#parts;
    try {
      // The bucket is emptied first: `destroy` deletes the mark, and without the mark a failed destruction is not retried.
      if (deployment.files.bucket !== null) await emptyBucket(deployment.files.bucket, threadId);
      await store.destroy();
      unload();
    } catch (cause) {
      alarm().notAfter(deployment.clock.now() / 1000 + retryPauseMs(1, deployment.random, pauses));
      deployment.log("error", "import_not_undone", { thread_id: threadId, cause: causeOf(cause) });
    }
  }
}
