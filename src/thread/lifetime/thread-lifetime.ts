// Creates, imports and deletes the thread of an object. Only one such operation runs at a time, because it awaits hooks, request bodies and
// other services.

import { ThreadholdError } from "#contract/error.ts";

import { ImportMark } from "../archive/import-mark.ts";
import type { ImporterParts } from "../archive/importer.ts";
import type { CreateContext } from "../method/create-thread.ts";
import type { OpenThread } from "../method/loaded-thread.ts";
import { ThreadDeletion } from "./thread-deletion.ts";
import type { DeletionParts } from "./thread-deletion.ts";

/** The object's storage, and its thread in memory. */
export type LifetimeParts = Omit<ImporterParts, "mark" | "settled"> & DeletionParts;

/** Milliseconds after which a refused creation may be tried again. */
const createAgainMs = 2000;

/** The beginning and the end of one object's thread. Each object has one instance. */
export class ThreadLifetime {
  readonly importMark: ImportMark;
  readonly #parts: LifetimeParts;
  readonly #deletion: ThreadDeletion;
  #creating: Promise<unknown> = Promise.resolve();
  #removing: Promise<void> | null = null;

  constructor(parts: LifetimeParts) {
    this.#parts = parts;
    this.#deletion = new ThreadDeletion(parts);
    this.importMark = new ImportMark(parts);
  }

  /** The dependencies of an import. */
  get importerParts(): ImporterParts {
    return { ...this.#parts, mark: this.importMark, settled: () => this.#settled() };
  }

  /**
   * Runs work that creates the thread. Creations run one at a time: a repeated request then finds the thread that the first request
   * created.
   */
  async create<T>(work: (context: CreateContext) => Promise<T>): Promise<T> {
    const { store, deployment, loaded, unload } = this.#parts;
    const created = this.#creating.then(async () => {
      this.#assertNotDeleting();
      await this.importMark.removeUnfinished();
      return work({ store, deployment, open: loaded, close: unload });
    });
    this.#creating = created.catch(() => undefined);
    return created;
  }

  /**
   * Deletes the thread, or continues its deletion if `open` is null. A second call waits for the first: otherwise it might delete a thread
   * that was created again.
   */
  async remove(open: OpenThread | null, byParent: boolean): Promise<void> {
    this.#removing ??= this.#removeOnce(open, byParent).finally(() => {
      this.#removing = null;
    });
    await this.#removing;
  }

  /** Handles an alarm while the thread is being deleted. `dueAt` is the time of the next attempt (microseconds). Never rejects. */
  async continueDeletion(dueAt: number): Promise<void> {
    const { deployment, alarm } = this.#parts;
    if (this.#removing === null && dueAt > deployment.clock.now()) {
      alarm().exactly(dueAt / 1000);
      return;
    }
    this.#deletion.wakeAgain();
    // A failed attempt has logged its cause and has set the alarm for the next one.
    await this.remove(null, false).catch(() => undefined);
  }

  async #removeOnce(open: OpenThread | null, byParent: boolean): Promise<void> {
    if (open !== null) this.#deletion.begin(open, byParent);
    const { store, unload } = this.#parts;
    const work = this.#deletion.attempt().finally(() => {
      // An attempt may also fail after the rows were deleted. The thread in memory then does not exist any more either.
      if (!store.exists()) unload();
    });
    // The next creation under the same id starts after everything of the deleted thread was removed.
    this.#creating = Promise.allSettled([this.#creating, work]);
    await work;
  }

  /** Resolves when no creation and no deletion is in progress. */
  async #settled(): Promise<void> {
    await this.#creating;
    this.#assertNotDeleting();
  }

  /** Refuses a new thread under the id of a thread whose deletion has not ended. */
  #assertNotDeleting(): void {
    const { store } = this.#parts;
    if (!store.exists() || store.readThread()?.deletion === undefined) return;
    const message = "The thread that had this id is still being deleted. Try again later.";
    throw new ThreadholdError({ code: "unavailable", message, retry_after_ms: createAgainMs });
  }
}
