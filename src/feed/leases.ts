// The leases of one owner: streams that are open and threads that are at work, wherever the requests for them came in. One row holds
// all of them. A start writes it; what ends is taken out in memory and written with the next start. A lease whose time is over counts
// no longer unless its holder confirms it, and the holder is asked only where the bound would refuse.

import type { FeedWord } from "#contract/feed.ts";
import type { HeldLeases, LeaseHolder, LeaseOutcome, LeaseRequest } from "#core/lease.ts";

import { readLeaseRow, writeLeaseRow } from "./lease-row.ts";
import type { LeaseState, RunLease, OpenStream } from "./lease-row.ts";

/** What leases work with. */
export interface LeasePorts {
  /** Microseconds since epoch. */
  now: () => number;
  row: { read: () => string | undefined; write: (text: string) => void };
  /** Asks a holder. May reject; then its overdue leases are gone. */
  held: (holder: LeaseHolder, ids: readonly string[]) => Promise<HeldLeases>;
}

const second = 1_000_000;

/** Microseconds within which a granted stream reaches its holder. */
export const attachMicros = 15 * second;

/** Microseconds within which an input is admitted, hooks included. */
export const admitMicros = 60 * second;

/** Microseconds for which a stream that its holder confirmed is not asked about. */
export const heldMicros = 15 * second;

/** Microseconds for which a thread that said it is at work is not asked about. A heartbeat comes every 15 s. */
export const confirmedMicros = 60 * second;

/** Holders that are asked at a time. */
const mostAsked = 50;

/** One per feed object. */
export class Leases {
  readonly #ports: LeasePorts;
  #loaded: LeaseState | null = null;
  #confirming: Promise<void> | null = null;

  constructor(ports: LeasePorts) {
    this.#ports = ports;
  }

  /** Takes a lease, or says which bound is reached. */
  async take(request: LeaseRequest): Promise<LeaseOutcome> {
    const outcome = this.#tryTake(request);
    if (outcome === "granted" || !this.#isOverdue()) return outcome;
    // Shared by all requests that meet the bound meanwhile, so that a holder is asked once.
    this.#confirming ??= this.#confirm().finally(() => {
      this.#confirming = null;
    });
    await this.#confirming;
    return this.#tryTake(request);
  }

  /** Ends the stream of a lease, and with `all` the run that was to follow. */
  giveBack(id: string, part: "stream" | "all"): void {
    const { streams, runs } = this.#state;
    streams.delete(id);
    if (part === "stream") return;
    for (const [thread, run] of runs) {
      if (run.admitting.delete(id)) this.#dropIdle(thread, run);
    }
  }

  /** Takes the state of a thread from what it tells the feed. `admitted` are leases of inputs that the thread has taken. */
  told(word: FeedWord, admitted: readonly string[]): void {
    const { runs } = this.#state;
    const thread = word.type === "thread_deleted" ? word.thread_id : word.thread.id;
    const isWorking = word.type !== "thread_deleted" && word.thread.status === "running";
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

  #tryTake({ id, holder, streams: mostStreams, runs: mostRuns }: LeaseRequest): LeaseOutcome {
    const { now, row } = this.#ports;
    const { streams, runs } = this.#state;
    // The answer to the first try was lost on its way.
    if (streams.has(id)) return "granted";
    const thread = "thread" in holder && mostRuns !== null ? holder.thread : null;
    const run = thread === null ? undefined : runs.get(thread);
    if (mostStreams !== null && streams.size >= mostStreams) return "too_many_streams";
    // A thread that is at work lets further inputs wait: only another one adds to the load.
    if (thread !== null && mostRuns !== null && run === undefined && runs.size >= mostRuns) return "too_many_runs";
    if (mostStreams !== null) streams.set(id, { holder, until: now() + attachMicros });
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
    const at = this.#ports.now();
    return [...streams.values()].some(({ until }) => until <= at) || [...runs.values()].some((run) => endOf(run) <= at);
  }

  /** Asks the holders of overdue leases, and drops what they no longer hold. */
  async #confirm(): Promise<void> {
    const { streams, runs } = this.#state;
    const at = this.#ports.now();
    const asked = new Map<string, { holder: LeaseHolder; streams: string[]; run: string | null }>();
    const ask = (holder: LeaseHolder) => {
      const name = JSON.stringify(holder);
      const known = asked.get(name) ?? { holder, streams: [], run: null };
      if (asked.size < mostAsked) asked.set(name, known);
      return known;
    };
    for (const [id, { holder, until }] of streams) if (until <= at) ask(holder).streams.push(id);
    for (const [thread, run] of runs) if (endOf(run) <= at) ask({ thread }).run = thread;
    await Promise.all(
      [...asked.values()].map(async ({ holder, streams: ids, run }) => {
        const nothing: HeldLeases = { streams: [], working: false };
        const held = await this.#ports.held(holder, ids).catch(() => nothing);
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
    const at = this.#ports.now();
    // Another input may have been granted, or a word have come, while the thread was asked.
    if (run === undefined || endOf(run) > at) return;
    run.admitting.clear();
    run.until = isWorking ? at + confirmedMicros : 0;
    this.#dropIdle(thread, run);
  }

  #dropIdle(thread: string, { until, admitting }: RunLease): void {
    if (until === 0 && admitting.size === 0) this.#state.runs.delete(thread);
  }
}

/** When the last reason to count a thread ends. */
function endOf({ until, admitting }: RunLease): number {
  return Math.max(until, ...admitting.values());
}
