// Decides when a thread's object is awake: the heartbeat of a run, the background tasks, and the alarm that wakes the object when one of
// them is due. Contract: after a crash at any point, the alarm that is set repeats the interrupted work.

import type { ManagedThreadFiles } from "#store/files/file-system.ts";

import { firstHeartbeatMs, longestHeartbeatMs } from "../alarm.ts";
import type { Alarm } from "../alarm.ts";
import type { BackgroundTask } from "../background-task.ts";
import { OutboundMessages } from "../children/outbound-messages.ts";
import type { ParentFeed } from "../children/parent-feed.ts";
import type { DeployedThread } from "../live/live-thread.ts";
import type { OwnerFeed } from "../owner-feed.ts";
import type { ThreadWakeups } from "../thread-ports.ts";
import type { RunTraces } from "../trace/run-traces.ts";
import { WaitingWebhook } from "../webhook/waiting-webhook.ts";
import { CatalogTask } from "./catalog-task.ts";
import { FileSweep } from "./file-sweep.ts";

/** The dependencies of the wakeups and their tasks. */
export interface WakeupParts extends DeployedThread {
  alarm: Alarm;
  feed: ParentFeed | null;
  files: ManagedThreadFiles;
  ownerFeed: OwnerFeed;
  traces: RunTraces | null;
  background: (work: Promise<unknown>) => void;
}

/** The heartbeat, the background tasks and the alarm of one thread's object. */
export class Wakeups implements ThreadWakeups {
  readonly catalog: CatalogTask;
  readonly outbound: OutboundMessages;
  /** The webhook for calls that begin to wait; null if the deployment has none. */
  readonly webhook: WaitingWebhook | null;
  readonly #sweep: FileSweep;
  readonly #tasks: readonly BackgroundTask[];
  readonly #parts: WakeupParts;
  #pauseMs = firstHeartbeatMs;

  constructor(parts: WakeupParts) {
    this.#parts = parts;
    this.catalog = new CatalogTask(parts);
    this.outbound = new OutboundMessages(parts);
    this.#sweep = new FileSweep(parts);
    const { webhook } = parts.deployment;
    this.webhook = webhook === null ? null : new WaitingWebhook(webhook, parts);
    this.#tasks = [this.catalog, this.outbound, this.#sweep, ...(this.webhook === null ? [] : [this.webhook])];
  }

  /**
   * Sets the alarm to `ms` milliseconds from now, unless it is set to an earlier time. After a crash the alarm repeats the work that
   * follows this call.
   */
  notAfter(ms: number): void {
    const { alarm } = this.#parts;
    const { clock } = this.#parts.deployment;
    alarm.notAfter(clock.now() / 1000 + ms);
  }

  /** Sets the alarm to a time (microseconds), unless it is set to an earlier time. */
  wakeAt(at: number): void {
    this.#parts.alarm.notAfter(at / 1000);
  }

  /** Starts the heartbeat of a run that is executed: alarms that wake the object after a crash, and keep it from eviction before. */
  startHeartbeat(): void {
    this.#pauseMs = firstHeartbeatMs;
    this.notAfter(this.#pauseMs);
  }

  /**
   * Called at the start of an alarm: sets the next one before any work begins. For an executed run that is its heartbeat, with pauses that
   * double up to the longest. For pending tasks it is a repetition in case of a crash.
   */
  beat(): void {
    const { live, ownerFeed, traces } = this.#parts;
    if (live.runState.run !== null) {
      this.#pauseMs = Math.min(this.#pauseMs * 2, longestHeartbeatMs);
      ownerFeed.sendUpdate(live);
      traces?.flush();
    } else if (this.#isPending) this.#pauseMs = longestHeartbeatMs;
    else return;
    this.notAfter(this.#pauseMs);
  }

  /** Runs pending tasks in the background. If the object dies meanwhile, the alarm repeats them. */
  runSoon(): void {
    if (!this.#isPending) return;
    this.notAfter(longestHeartbeatMs);
    this.#parts.background(this.runAndSleep());
  }

  /** Updates the catalog (the index of all threads). If that fails, sets the alarm for the next attempt. */
  async updateCatalog(): Promise<void> {
    await this.#parts.deployment.faults.at("wakeups.catalog");
    await this.catalog.run();
    const { dueAt } = this.catalog;
    if (dueAt !== null && !this.#parts.live.retired) this.wakeAt(dueAt);
  }

  /** Sets the alarm for the end of a suspension (microseconds). */
  suspendUntil(until: number): void {
    const { alarm } = this.#parts;
    if (this.#isPending) alarm.notAfter(until / 1000);
    else alarm.exactly(until / 1000);
  }

  /** Runs the tasks. Then sets the alarm for the next time at which something is due, or clears it. */
  async runAndSleep(): Promise<void> {
    const { live } = this.#parts;
    const { faults } = this.#parts.deployment;
    await faults.at("sleep.written");
    // After this await the transaction of the caller is complete: the tasks read the row that it writes.
    await Promise.resolve();
    await faults.at("sleep.flush");
    await Promise.all([this.catalog.run(), this.outbound.run(), this.webhook?.run()]);
    await faults.at("sleep.sweep");
    await this.#sweep.run();
    // An executed run sets the alarm itself, by its heartbeat.
    if (!live.retired && live.runState.run === null) this.#sleep();
  }

  get #isPending(): boolean {
    return this.#tasks.some(({ pending }) => pending);
  }

  #sleep(): void {
    const { live, alarm } = this.#parts;
    const { active_run_id, deletion } = live.record;
    // The deletion sets its own alarm.
    if (deletion !== undefined) return;
    const run = active_run_id === null ? null : live.store.run(active_run_id);
    const suspendedUntil = run?.progress?.suspension?.resume_at ?? null;
    // Another call is running a task that was not tried yet, or an interrupted run waits for its heartbeat: the alarm is set already.
    const isBusy = this.#tasks.some(({ pending, dueAt }) => pending && dueAt === null);
    if (isBusy || (active_run_id !== null && suspendedUntil === null)) return;
    const due = [...this.#tasks.map(({ dueAt }) => dueAt), suspendedUntil].filter((at) => at !== null);
    if (due.length === 0) alarm.clear();
    else alarm.exactly(Math.min(...due) / 1000);
  }
}
