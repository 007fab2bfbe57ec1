// Creates, imports and deletes the thread of an object. Only one such operation runs at a time, because it awaits hooks, request bodies and
// other services.

import { Importer } from "./archive/importer.ts";
import type { ImporterParts } from "./archive/importer.ts";
import type { CreateContext } from "./method/create-thread.ts";
import { removeThread } from "./method/thread-changes.ts";
import type { OpenThread } from "./open-thread.ts";

/** The object's storage, and its thread in memory. */
export type LifetimeParts = Omit<ImporterParts, "settled">;

/** The beginning and the end of one object's thread. Each object has one instance. */
export class ThreadLifetime {
  readonly importer: Importer;
  readonly #parts: LifetimeParts;
  #creating: Promise<unknown> = Promise.resolve();
  #removing: Promise<void> | null = null;

  constructor(parts: LifetimeParts) {
    this.#parts = parts;
    this.importer = new Importer({ ...parts, settled: () => this.#creating });
  }

  /**
   * Runs work that creates the thread. Creations run one at a time: a repeated request then finds the thread that the first request
   * created.
   */
  async create<T>(work: (context: CreateContext) => Promise<T>): Promise<T> {
    const { store, dependencies, loaded, unload } = this.#parts;
    const created = this.#creating.then(async () => {
      await this.importer.removeUnfinished();
      return work({ store, dependencies, open: loaded, close: unload });
    });
    this.#creating = created.catch(() => undefined);
    return created;
  }

  /** Deletes the thread. A second deletion waits for the first: otherwise it might delete a thread that was created again. */
  async remove(open: OpenThread, byParent: boolean): Promise<void> {
    this.#removing ??= this.#removeOnce(open, byParent).finally(() => {
      this.#removing = null;
    });
    await this.#removing;
  }

  async #removeOnce(open: OpenThread, byParent: boolean): Promise<void> {
    const work = removeThread(open, byParent).then(() => this.#parts.unload());
    // The next creation under the same id starts after everything of the deleted thread was removed.
    this.#creating = Promise.allSettled([this.#creating, work]);
    await work;
  }
}
