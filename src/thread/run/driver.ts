// Drives runs, one at a time: begins them, takes them up after a crash or a rest, ends them, and begins the next that waits.

import { ThreadholdError } from "#contract/error.ts";
import type { EventOf } from "#contract/event.ts";
import { run as loop } from "#core/loop.ts";
import type { Halt } from "#core/loop.ts";
import type { RunEnd } from "#core/ports/strategy.ts";
import type { MessageRecord, QueuedCall, RunRecord } from "#core/record.ts";

import { firstHeartbeatMs, longestHeartbeatMs } from "../alarm.ts";
import { Outgoings } from "../children/outgoings.ts";
import { FileSweeper } from "../files/file-sweeper.ts";
import type { ObjectContext } from "../object-context.ts";
import { Outbox } from "../outbox.ts";
import { leftCalls } from "./left-calls.ts";
import { closeOpenCalls, leftRun, recoverRun } from "./recovery.ts";
import { assembleRun, hasAnswer } from "./run-assembly.ts";
import type { AssembledRun } from "./run-assembly.ts";
import { finishRun } from "./run-finish.ts";
import { logRunLine } from "./run-line.ts";
import { recordAwaited, recordRest, recordWake } from "./run-rest.ts";
import { beginRun, enqueueRun, newRun } from "./run-start.ts";

interface ActiveRun {
  run: RunRecord;
  abort: AbortController;
}

/** One per object. */
export class Driver {
  readonly #context: ObjectContext;
  readonly outbox: Outbox;
  readonly outgoings: Outgoings;
  readonly #sweeper: FileSweeper;
  #active: ActiveRun | null = null;
  #abandoned = false;
  #closing = false;
  #pauseMs = firstHeartbeatMs;

  constructor(context: ObjectContext) {
    this.#context = context;
    this.outbox = new Outbox(context);
    this.outgoings = new Outgoings(context);
    this.#sweeper = new FileSweeper(context);
  }

  /**
   * Arms the next heartbeat, before anything is done: of a run that is being driven, doubling up to the longest pause, and of
   * words that are about to be told, which a crash on the way would else leave to nobody.
   */
  beat(): void {
    const { alarm, clock, live, ownerFeed } = this.#context;
    if (this.#active !== null) {
      this.#pauseMs = Math.min(this.#pauseMs * 2, longestHeartbeatMs);
      ownerFeed.again(live);
    } else if (this.outbox.pending || this.outgoings.pending) this.#pauseMs = longestHeartbeatMs;
    else return;
    alarm.notAfter(clock.now() / 1000 + this.#pauseMs);
  }

  /** Begins a run now; the caller made sure that none is active. */
  begin(
    run: RunRecord,
    how: { trigger: EventOf<"run_start">["trigger"]; isNew: boolean; follows?: boolean },
  ): RunRecord {
    const begun = beginRun(this.#context, run, how);
    this.#drive(begun, { takenUp: how.follows ?? !how.isNew });
    return begun;
  }

  /** Takes up what an earlier life of the object left: a cut run, a rest that is over. Does nothing while one is driven. */
  resume(): void {
    const { live, clock, alarm } = this.#context;
    const id = live.record.active_run_id;
    if (this.#active !== null) return;
    if (id === null) {
      // What waited when the object went away begins now.
      this.beginNext();
      return;
    }
    const run = live.store.run(id);
    if (run === null) {
      live.change({ active_run_id: null, active_totals: null, status: "idle" });
      live.save();
      this.beginNext();
      return;
    }
    if (run.resume_at !== null) {
      if (run.resume_at > clock.now() && !run.stop) {
        alarm.notAfter(run.resume_at / 1000);
        return;
      }
      this.#wake(run);
      return;
    }
    const recovered = recoverRun(this.#context, run);
    if (recovered.type === "again") {
      this.#drive(recovered.run, { takenUp: true });
      return;
    }
    closeOpenCalls(this.#context, recovered.run);
    this.#finish(recovered.run, null, givenUp);
  }

  /** Ends a run that an earlier life left, in place of taking it up: nothing of it is done again. */
  endLeft(end: RunEnd): void {
    const { live } = this.#context;
    const run = this.activeRun;
    if (run === null || this.#active !== null) return;
    const left = leftRun(this.#context, run);
    live.tell([{ type: "message_retracted", run_id: run.id, reason: "recovery" }]);
    closeOpenCalls(this.#context, left);
    this.#finish(left, null, end);
  }

  /** Asks the active run to stop, durably. False when that run is not the active one. */
  stop(runId: string | null): boolean {
    const { live } = this.#context;
    const id = live.record.active_run_id;
    if (id === null || (runId !== null && runId !== id)) return false;
    const run = this.#active?.run ?? live.store.run(id);
    if (run === null) return false;
    if (!run.stop) {
      run.stop = true;
      live.store.transaction(() => {
        live.store.updateRun(run);
        live.change({ held: true });
        live.save();
      });
    }
    this.#halt();
    return true;
  }

  /** Ends the active run and has this one begin behind it, both durable at once. Returns it as recorded. */
  interrupt(next: RunRecord): RunRecord {
    const { live } = this.#context;
    const active = this.activeRun;
    const also = () => {
      if (active !== null) live.store.updateRun({ ...active, stop: true });
    };
    const queued = enqueueRun(this.#context, next, { place: "first", also });
    if (active !== null) active.stop = true;
    this.#halt();
    return queued;
  }

  #halt(): void {
    if (this.#active === null) this.resume();
    this.#active?.abort.abort(new Error("stopped"));
  }

  /** The run that is active, driven or resting; null at rest. */
  get activeRun(): RunRecord | null {
    const { live } = this.#context;
    const id = live.record.active_run_id;
    return this.#active?.run ?? (id === null ? null : live.store.run(id));
  }

  /**
   * A resting run goes on at once: an answer came that it waits for. One that is driven sees it by itself. What changes of it
   * is written with that.
   */
  goOn(runId: string | null, changes: Partial<RunRecord> = {}): void {
    const { live } = this.#context;
    if (this.#active !== null || runId === null || live.record.active_run_id !== runId) return;
    const run = live.store.run(runId);
    if (run === null || run.resume_at === null) return;
    this.#wake(Object.assign(run, changes));
  }

  #wake(run: RunRecord): void {
    recordWake(this.#context, run, { mark: () => this.outbox.mark() });
    this.#drive(run, { takenUp: true });
    // The list, and a parent that shows what this thread waited for, hear that it is at work again.
    this.tellSoon();
  }

  /** Shows what a resting run waits for by now, where a child said so in its call's row; one that is driven shows it when it rests. */
  showAwaited(row: MessageRecord): void {
    const { live } = this.#context;
    if (this.#active !== null || row.run_id === null || live.record.active_run_id !== row.run_id) return;
    const run = live.store.run(row.run_id);
    if (run === null || run.resume_at === null) return;
    recordAwaited(this.#context, run, { row, mark: () => this.outbox.mark() });
    live.broadcaster.rest();
    this.tellSoon();
  }

  /** Tells the catalog and other threads in the background; should the object die on the way, an alarm does. */
  tellSoon(): void {
    const { alarm, clock, background } = this.#context;
    if (!this.outbox.pending && !this.outgoings.pending) return;
    alarm.notAfter(clock.now() / 1000 + longestHeartbeatMs);
    background(this.flushAndSleep());
  }

  /** The thread was deleted while somebody waited. */
  get gone(): boolean {
    return this.#abandoned || this.#closing;
  }

  /** The thread is being deleted: nothing begins any more, unless that fails. */
  close(closing: boolean): void {
    this.#closing = closing;
  }

  /** The thread is gone: what is still under way must not write any more. */
  abandon(): void {
    this.#abandoned = true;
    this.#context.live.retire();
    this.#active?.abort.abort(new Error("deleted"));
  }

  #drive(run: RunRecord, { takenUp = false }: { takenUp?: boolean } = {}): void {
    const { alarm, clock, background } = this.#context;
    // While a run is driven the heartbeat is armed: it wakes a killed object and keeps a living one from eviction.
    this.#pauseMs = firstHeartbeatMs;
    alarm.notAfter(clock.now() / 1000 + this.#pauseMs);
    const abort = new AbortController();
    if (run.stop) abort.abort(new Error("stopped"));
    this.#active = { run, abort };
    this.#context.live.drives(run);
    background(this.#driveToHalt(run, { abort, takenUp }).catch((thrown: unknown) => this.#letGo(run, thrown)));
  }

  async #driveToHalt(run: RunRecord, { abort, takenUp }: { abort: AbortController; takenUp: boolean }): Promise<void> {
    const { faults, storage } = this.#context;
    const { meter } = storage;
    const before = meter.snapshot();
    let assembled: AssembledRun | null = null;
    let halt: Halt;
    try {
      if (takenUp) {
        // The start is durable before the run goes on: a run that kills its object at once loses what was written in the same turn,
        // and would else be taken up for ever, or undo the end of the run before it. Waiting for the disk also lets other
        // requests in, a stop or a deletion among them, between runs that fail at once.
        await faults.at("run.taken-up");
        await storage.sync();
      }
      await faults.at("run.assemble");
      assembled = await assembleRun(this.#context, run, { abort, outgoings: this.outgoings });
      await faults.at("run.loop");
      halt = await loop(assembled.ports, abort.signal);
    } catch (thrown) {
      if (this.#abandoned) return;
      halt = { type: "end", end: this.#failed(run, thrown) };
    } finally {
      assembled?.limits.halt();
    }
    if (this.#abandoned) return;
    if (halt.type === "rest") this.#rest(run, assembled, halt.until);
    else this.#finish(run, assembled, halt.end);
    logRunLine(this.#context, run, { halt, rows: meter.since(before) });
  }

  /** Not even the end could be written. The run is left as it is; the alarm takes it up like one that a crash cut. */
  #letGo(run: RunRecord, thrown: unknown): void {
    const cause = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    console.error(JSON.stringify({ event: "run_end_failed", run_id: run.id, cause }));
    if (this.#active?.run === run) this.#leave();
  }

  #failed(run: RunRecord, thrown: unknown): RunEnd {
    // Whatever was shown of an answer that could not be kept goes: no reader keeps text that the transcript lacks.
    this.#context.live.tell([{ type: "message_retracted", run_id: run.id, reason: "recovery" }]);
    closeOpenCalls(this.#context, run);
    if (thrown instanceof ThreadholdError) {
      const { code, message } = thrown;
      return { status: "error", reason: code, error: { code, message } };
    }
    const cause = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    const { live, clock } = this.#context;
    console.error(JSON.stringify({ event: "run_failed", thread_id: live.record.id, run_id: run.id, cause }));
    live.store.insertLog({
      id: live.uuids.next(),
      type: "error",
      run_id: run.id,
      parent_id: null,
      depth: 0,
      created_at: clock.now(),
      data: { what: "run_failed", cause },
      events: [],
    });
    const message = "The run failed inside the server; the thread's log has the cause.";
    return { status: "error", reason: "internal", error: { code: "internal", message } };
  }

  /** A wait that is a row and an alarm, and nothing in memory (architecture §5.3). */
  #rest(run: RunRecord, assembled: AssembledRun | null, until: number): void {
    const { live, alarm } = this.#context;
    assembled?.journal.close();
    this.#leave();
    // An answer may have come while other calls of its step still ran, a stop while the step came to its rest. One that was
    // there before and is not taken still stands behind a call that waits.
    const known = assembled?.answered ?? new Set();
    if (run.stop || assembled?.journal.messages.some((row) => hasAnswer(row) && !known.has(row.id)) === true) {
      this.#drive(run, { takenUp: true });
      return;
    }
    const { outbox } = this;
    const messages = assembled?.journal.messages ?? [];
    const isShown = recordRest(this.#context, run, { until, messages, mark: () => outbox.mark() });
    if (live.record.outbox.dirty || this.outgoings.pending) alarm.notAfter(until / 1000);
    else alarm.exactly(until / 1000);
    live.broadcaster.rest();
    // The list of threads shows who waits for a client.
    if (isShown) this.#context.background(this.flushAndSleep());
  }

  #finish(run: RunRecord, assembled: AssembledRun | null, ended: RunEnd): void {
    const { live, alarm, clock } = this.#context;
    const { next, end } = leftCalls(run, ended);
    // One that was not driven has no heartbeat; its end has to be told.
    alarm.notAfter(clock.now() / 1000 + longestHeartbeatMs);
    const messages = assembled?.journal.messages ?? live.store.messagesAfter(run.branch, run.after_position);
    finishRun(this.#context, run, { end, messages, outbox: this.outbox });
    assembled?.journal.close();
    this.#leave();
    this.#beginCalls(run, next);
    if (!this.beginNext()) live.broadcaster.rest();
    this.#context.background(this.flushAndSleep());
  }

  /** Starts a run for the queued calls that the last run did not make. */
  #beginCalls({ chain = 0 }: RunRecord, calls: QueuedCall[]): void {
    if (calls.length === 0 || this.#closing || this.#context.live.record.held) return;
    const run = { ...newRun(this.#context, { kind: "tool", limits: null, input: null }), calls, chain: chain + 1 };
    // Inputs that wait already run first.
    if (this.#context.live.record.queue.length > 0) enqueueRun(this.#context, run);
    else this.begin(run, { trigger: "continuation", isNew: true, follows: true });
  }

  #leave(): void {
    this.#active = null;
    this.#context.live.drives(null);
  }

  /** Tells the catalog and other threads, then sleeps until something is due; where nothing is, for good. */
  async flushAndSleep(): Promise<void> {
    // The row that carries the mark is written first: the caller is still in the middle of it.
    const { faults } = this.#context;
    await faults.at("sleep.written");
    await Promise.resolve();
    await faults.at("sleep.flush");
    await Promise.all([this.outbox.flush(), this.outgoings.flush()]);
    await faults.at("sleep.sweep");
    const sweepAt = await this.#sweeper.sweep();
    // A run that is driven has its heartbeat.
    if (this.#abandoned || this.#active !== null) return;
    this.#sleep(sweepAt);
  }

  #sleep(sweepAt: number | null): void {
    const { live, alarm } = this.#context;
    const { outbox, outgoings } = this;
    const { active_run_id } = live.record;
    const restsUntil = active_run_id === null ? null : (live.store.run(active_run_id)?.resume_at ?? null);
    // What was not tried yet is under way by somebody else; a run that was let go waits for its heartbeat.
    const isBusy = (outbox.pending && outbox.retryAt === null) || (outgoings.pending && outgoings.retryAt === null);
    if (isBusy || (active_run_id !== null && restsUntil === null)) return;
    const due = [outbox.retryAt, outgoings.retryAt, sweepAt, restsUntil].filter((at) => at !== null);
    if (due.length === 0) alarm.clear();
    else alarm.exactly(Math.min(...due) / 1000);
  }

  /** Begins the run that waits longest, unless a stop holds the queue. */
  beginNext(): boolean {
    const { live } = this.#context;
    if (this.#closing || this.#active !== null || live.record.active_run_id !== null || live.record.held) return false;
    const [next, ...queue] = live.record.queue;
    if (next === undefined) return false;
    const run = live.store.run(next);
    const waiting = live.record.queue;
    live.change({ queue });
    // A run that is gone or was stopped leaves the queue without a word.
    if (run === null || run.status !== "queued") return this.beginNext();
    try {
      this.begin(run, { trigger: "queue", isNew: false });
    } catch (thrown) {
      // It waits as before: its beginning was not written.
      live.change({ queue: waiting });
      throw thrown;
    }
    return true;
  }
}

const givenUp: RunEnd = {
  status: "error",
  reason: "recovery_failed",
  error: {
    code: "recovery_failed",
    message: "The run was interrupted again and again without getting further.",
  },
};
