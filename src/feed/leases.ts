// The leases of one owner's open streams and running threads, over all isolates. One row holds all of them. The holder of a lease is the
// object that serves the stream or the run: a thread's object or a feed's. A new lease writes the row. An ended lease is removed in memory,
// and the row changes with the next write. An overdue lease counts only if its holder confirms it. Holders are asked only when a request
// would otherwise be refused.

import type { FeedMessage } from "#contract/feed.ts";
import type { Thread } from "#contract/thread.ts";
import { isOwnQuestion } from "#core/record/view.ts";
import type { HeldLeases, LeaseHolder, LeaseOutcome, LeaseRequest } from "#core/rpc/lease.ts";

import { readLeaseRow, writeLeaseRow } from "./lease-row.ts";
import type { LeaseState, RunLease, OpenStream } from "./lease-row.ts";

/** Dependencies of the leases. */
export interface LeasePorts {
  /** Microseconds since the epoch. */
  now: () => number;
  row: { read: () => string | undefined; write: (text: string) => void };
  /** Asks a holder which of these leases it still uses. If it rejects, the holder's overdue leases are dropped. */
  askHolder: (holder: LeaseHolder, ids: readonly string[]) => Promise<HeldLeases>;
}

const second = 1_000_000;

/** Microseconds in which the holder of a new lease must have opened the stream. After that, the lease is overdue. */
export const attachMicros = 15 * second;

/** Microseconds in which an input with a lease must be admitted, including its hooks. After that, the lease is overdue. */
export const admitMicros = 60 * second;

/** Microseconds for which a holder's confirmation of a stream counts. */
export const heldMicros = 15 * second;

/** Microseconds for which a thread's report that it is running counts. It reports every 15 seconds. */
export const confirmedMicros = 60 * second;

/** The maximum number of holders that are asked for confirmation at the same time. */
const maxAsked = 50;

/** The leases of one feed object. */
export class Leases {
  readonly #ports: LeasePorts;
  #loaded: LeaseState | null = null;
  #confirming: Promise<void> | null = null;

  constructor(ports: LeasePorts) {
    this.#ports = ports;
  }

  /** Grants a lease, or returns the limit that is reached. */
  async take(request: LeaseRequest): Promise<LeaseOutcome> {
    const outcome = this.#tryTake(request);
    if (outcome === "granted" || !this.#isOverdue()) return outcome;
    // Requests that reach the limit at the same time share one confirmation, so that a holder is asked once.
    this.#confirming ??= this.#confirm().finally(() => {
      this.#confirming = null;
    });
    await this.#confirming;
    return this.#tryTake(request);
  }

  /** Removes the stream of a lease; with `all`, also the input that the request was to admit. */
  giveBack(id: string, part: "stream" | "all"): void {
    const { streams, runs } = this.#state;
    streams.delete(id);
    if (part === "stream") return;
    for (const [thread, run] of runs) {
      if (run.admitting.delete(id)) this.#dropIdle(thread, run);
    }
  }

  /** Records the state of a thread from its message to the feed. `admitted` are the leases of inputs that the thread has admitted. */
  recordThread(message: FeedMessage, admitted: readonly string[]): void {
    const { runs } = this.#state;
    const thread = message.type === "thread_deleted" ? message.thread_id : message.thread.id;
    const isWorking = message.type !== "thread_deleted" && isExecuted(message.thread);
    const run: RunLease = runs.get(thread) ?? { until: 0, admitting: new Map() };
    for (const id of admitted) run.admitting.delete(id);
    run.until = isWorking ? this.#ports.now() + confirmedMicros : 0;
    runs.set(thread, run);
    this.#dropIdle(thread, run);
  }

  get #state(): LeaseState {
    this.#loaded ??= readLeaseRow(this.#ports.row.read());
    return this.#loaded;
  }

  #tryTake({ id, holder, streams: maxStreams, runs: maxRuns }: LeaseRequest): LeaseOutcome {
    const { now, row } = this.#ports;
    const { streams, runs } = this.#state;
    // A repeated request, because the response to the first one was lost.
    if (streams.has(id)) return "granted";
    const thread = "thread" in holder && maxRuns !== null ? holder.thread : null;
    const run = thread === null ? undefined : runs.get(thread);
    if (maxStreams !== null && streams.size >= maxStreams) return "too_many_streams";
    // Further inputs of a running thread wait in its queue, so only another thread adds load.
    if (thread !== null && maxRuns !== null && run === undefined && runs.size >= maxRuns) return "too_many_runs";
    if (maxStreams !== null) streams.set(id, { holder, until: now() + attachMicros });
    if (thread !== null) {
      const admitting = run?.admitting ?? new Map<string, number>();
      admitting.set(id, now() + admitMicros);
      runs.set(thread, { until: run?.until ?? 0, admitting });
    }
    row.write(writeLeaseRow(this.#state));
    return "granted";
  }

  #isOverdue(): boolean {
    const { streams, runs } = this.#state;
    const now = this.#ports.now();
    return (
      [...streams.values()].some(({ until }) => until <= now) || [...runs.values()].some((run) => endOf(run) <= now)
    );
  }

  /** Asks the holders of overdue leases and drops the leases that they no longer serve. */
  async #confirm(): Promise<void> {
    const { streams, runs } = this.#state;
    const now = this.#ports.now();
    const asked = new Map<string, { holder: LeaseHolder; streams: string[]; run: string | null }>();
    const entryFor = (holder: LeaseHolder) => {
      const name = JSON.stringify(holder);
      const known = asked.get(name) ?? { holder, streams: [], run: null };
      if (asked.size < maxAsked) asked.set(name, known);
      return known;
    };
    for (const [id, { holder, until }] of streams) if (until <= now) entryFor(holder).streams.push(id);
    for (const [thread, run] of runs) if (endOf(run) <= now) entryFor({ thread }).run = thread;
    await Promise.all(
      [...asked.values()].map(async ({ holder, streams: ids, run }) => {
        const noLeases: HeldLeases = { streams: [], working: false };
        const held = await this.#ports.askHolder(holder, ids).catch(() => noLeases);
        for (const id of ids) this.#settleStream(streams.get(id), { id, isHeld: held.streams.includes(id) });
        if (run !== null) this.#settleRun(run, held.working);
      }),
    );
  }

  #settleStream(lease: OpenStream | undefined, { id, isHeld }: { id: string; isHeld: boolean }): void {
    if (lease === undefined) return;
    if (isHeld) lease.until = this.#ports.now() + heldMicros;
    else this.#state.streams.delete(id);
  }

  #settleRun(thread: string, isWorking: boolean): void {
    const run = this.#state.runs.get(thread);
    const now = this.#ports.now();
    // In the meantime the thread may have reported to the feed, or another input may have got a lease.
    if (run === undefined || endOf(run) > now) return;
    run.admitting.clear();
    run.until = isWorking ? now + confirmedMicros : 0;
    this.#dropIdle(thread, run);
  }

  #dropIdle(thread: string, { until, admitting }: RunLease): void {
    if (until === 0 && admitting.size === 0) this.#state.runs.delete(thread);
  }
}

/** The time at which the last reason to count a thread ends. */
function endOf({ until, admitting }: RunLease): number {
  return Math.max(until, ...admitting.values());
}

/**
 * Whether a run of the thread is executed. A thread whose running call asks a question has the status `awaiting_tool_execution`, although
 * its run is executed.
 */
function isExecuted({ status, pending_tool_calls: calls }: Thread): boolean {
  return status === "running" || calls.some(isOwnQuestion);
}
