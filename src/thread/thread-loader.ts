// Manages a thread in the memory of its object: loads it from rows, checks who may access it, creates it, handles its alarms and deletes
// it. Creation and deletion run one at a time.

import { refuse } from "#contract/error.ts";
import type { ThreadRecord } from "#core/record.ts";
import type { Caller } from "#core/thread-rpc.ts";
import { causeOf } from "#lib/log-port.ts";
import type { MeteredStorage } from "#store/meter.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";
import { createSqliteThreadStore } from "#store/thread/sqlite-thread-store.ts";

import { Alarm, longestHeartbeatMs } from "./alarm.ts";
import { Importer } from "./archive/importer.ts";
import type { CreateContext } from "./method/create-thread.ts";
import { removeThread } from "./method/thread-changes.ts";
import { hasPassedDeadline, openThread } from "./open-thread.ts";
import type { OpenThread } from "./open-thread.ts";
import { OwnerFeed } from "./owner-feed.ts";
import type { ThreadDependencies } from "./thread-dependencies.ts";

/** Loads the thread of one object. Each thread's object has one loader. */
export class ThreadLoader {
  readonly importer: Importer;
  readonly #state: DurableObjectState;
  readonly #world: ThreadDependencies;
  readonly #storage: MeteredStorage;
  readonly #store: ManagedThreadStore;
  readonly #ownerFeed: OwnerFeed;
  #alarm: Alarm;
  #open: OpenThread | null = null;
  #creating: Promise<unknown> = Promise.resolve();
  #removing: Promise<void> | null = null;

  constructor(state: DurableObjectState, world: ThreadDependencies, storage: MeteredStorage) {
    this.#state = state;
    this.#world = world;
    this.#storage = storage;
    this.#store = createSqliteThreadStore(storage, world.faults);
    this.#ownerFeed = new OwnerFeed(world.feeds, (work) => state.waitUntil(work));
    this.#alarm = this.#alarmAt(null);
    this.importer = new Importer({
      storage,
      store: this.#store,
      world,
      alarm: () => this.#alarm,
      open: (record) => this.#openAs(record),
      loaded: () => this.load(),
      settled: () => this.#creating,
      unload: () => this.#close(),
    });
    void state.blockConcurrencyWhile(async () => {
      if (!this.#store.exists()) return;
      this.#store.migrate();
      this.#alarm = this.#alarmAt(await state.storage.getAlarm());
    });
  }

  /** The thread, if it is in memory. */
  get loaded(): OpenThread | null {
    return this.#open;
  }

  /** The thread's record, from memory or from its row; null if no thread was created. */
  get record(): Readonly<ThreadRecord> | null {
    return this.#open?.context.live.record ?? this.#store.readThread();
  }

  /** Returns the thread, or null if none was created. Resumes a run that a crash interrupted or whose suspension is over. */
  load(): OpenThread | null {
    if (this.#open === null) {
      const record = this.#store.readThread();
      if (record === null) return null;
      this.#openAs(record).driver.resume();
    } else if (hasPassedDeadline(this.#open)) this.#open.driver.resume();
    return this.#open;
  }

  /** Returns the thread. Refuses with `thread_not_found` a thread that does not exist or that the caller may not access. */
  loadFor(caller: Caller): OpenThread {
    const { record } = this;
    const allowed = record !== null && (caller.admin || (caller.user !== null && caller.user === record.user_id));
    const open = allowed ? this.load() : null;
    if (open === null) throw refuse("thread_not_found", "There is no such thread.");
    return open;
  }

  /**
   * Runs work that creates the thread. Creations run one at a time, because they await hooks: a repeated request then finds the thread that
   * the first request created.
   */
  async create<T>(work: (context: CreateContext) => Promise<T>): Promise<T> {
    const [store, world] = [this.#store, this.#world];
    const context = { store, world, open: () => this.load(), close: () => this.#close() };
    const created = this.#creating.then(async () => {
      await this.importer.removeUnfinished();
      return work(context);
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
    const work = removeThread(open, byParent).then(() => this.#close());
    // The next creation under the same id starts after everything of the deleted thread was removed.
    this.#creating = Promise.allSettled([this.#creating, work]);
    await work;
  }

  /**
   * Handles an alarm: resumes runs and does background work. Never throws, because the platform repeats an alarm that throws only a few
   * times. After an error the alarm is set again.
   */
  async wake(): Promise<void> {
    this.#alarm.fired();
    if (!this.#store.exists()) return;
    try {
      const open = this.load();
      if (open === null) {
        await this.importer.handleAlarm();
        return;
      }
      open.context.wakeups.beat();
      open.driver.resume();
      // Not awaited: the platform delivers the next alarm only after this one has returned, and the catalog may not respond.
      this.#state.waitUntil(open.context.wakeups.runAndSleep());
    } catch (thrown) {
      this.#alarm.notAfter(this.#world.clock.now() / 1000 + longestHeartbeatMs);
      this.#world.log("error", "alarm_failed", { thread_id: this.#state.id.name ?? null, cause: causeOf(thrown) });
    }
  }

  #openAs(record: ThreadRecord): OpenThread {
    const [world, storage, store, alarm] = [this.#world, this.#storage, this.#store, this.#alarm];
    this.#open = openThread({ world, storage, store, record, alarm, state: this.#state, ownerFeed: this.#ownerFeed });
    return this.#open;
  }

  #close(): void {
    this.#open = null;
    this.#alarm = this.#alarmAt(null);
  }

  #alarmAt(at: number | null): Alarm {
    return new Alarm(this.#storage, at, this.#world.clock.now() / 1000);
  }
}
