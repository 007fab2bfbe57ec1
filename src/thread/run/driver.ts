// Executes runs, one at a time: begins a run, resumes it after a crash or a suspension, ends it, and begins the next queued one.
// Every change of a run's state is durable before the run goes on.

import { run as loop } from "#core/loop.ts";
import type { Halt } from "#core/loop.ts";
import type { RunEnd } from "#core/ports/strategy-port.ts";
import type { ActiveRun, ExecutedRun, MessageRecord, QueuedCall, QueuedRun, SuspendedRun } from "#core/record.ts";
import { isActive, isSuspended } from "#core/run-state.ts";

import { longestHeartbeatMs } from "../alarm.ts";
import type { ObjectContext } from "../object-context.ts";
import { leftCalls } from "./left-calls.ts";
import { closeOpenCalls, leftRun, recoverRun } from "./recovery.ts";
import { assembleRun, hasDeliveredResult } from "./run-assembly.ts";
import type { AssembledRun } from "./run-assembly.ts";
import { givenUp, logUnstoredEnd, recordFailure, retractAnswers } from "./run-failure.ts";
import { logRunLine } from "./run-line.ts";
import { recordAwaitedCalls, recordSuspension, recordResumption } from "./suspension.ts";
import { finishRun } from "./write-run.ts";
import { beginRun, enqueueRun, newRun } from "./write-run.ts";
import type { Beginning } from "./write-run.ts";

/** The run that is being executed. */
interface Execution {
  run: ExecutedRun;
  abort: AbortController;
}

/** One per object. */
export class Driver {
  readonly #context: ObjectContext;
  #execution: Execution | null = null;
  #closing = false;

  constructor(context: ObjectContext) {
    this.#context = context;
  }

  /** Begins a run now. Call it only while no run is active. `isNew`: the run has no row yet. `follows`: it continues another run. */
  begin(run: QueuedRun, how: Beginning & { follows?: boolean }): ExecutedRun {
    const begun = beginRun(this.#context, run, how);
    this.#execute(begun, { resumed: how.follows ?? !how.isNew });
    return begun;
  }

  /**
   * Resumes the active run after a crash, or when its suspension is over; without one, begins the next queued run. Does nothing
   * while a run is executed.
   */
  resume(): void {
    const { live, clock, wakeups } = this.#context;
    const { active_run_id } = live.record;
    if (this.#execution !== null) return;
    if (active_run_id === null) {
      this.beginNext();
      return;
    }
    const run = live.store.run(active_run_id);
    if (!isActive(run)) {
      live.change({ active_run_id: null, active_totals: null, status: "idle" });
      live.save();
      this.beginNext();
      return;
    }
    if (isSuspended(run)) {
      const { resume_at } = run.progress.suspension;
      if (resume_at <= clock.now() || run.stop) this.#resumeSuspended(run);
      else wakeups.wakeAt(resume_at);
      return;
    }
    const recovered = recoverRun(this.#context, run);
    if (recovered.type === "again") {
      this.#execute(recovered.run, { resumed: true });
      return;
    }
    closeOpenCalls(this.#context, recovered.run);
    this.#finish(recovered.run, null, givenUp);
  }

  /** Ends a run that another object began, instead of resuming it: nothing of it is repeated. */
  endInterrupted(end: RunEnd): void {
    const run = this.activeRun;
    if (run === null || this.#execution !== null) return;
    const interrupted = leftRun(this.#context, run);
    retractAnswers(this.#context, interrupted);
    this.#finish(interrupted, null, end);
  }

  /** Asks the active run to stop, durably. Returns false if that run is not the active one. */
  stop(runId: string | null): boolean {
    const { live } = this.#context;
    const run = this.activeRun;
    if (run === null || (runId !== null && runId !== run.id)) return false;
    if (!run.stop) {
      run.stop = true;
      live.transaction(() => {
        live.store.updateRun(run);
        live.change({ queue: { ...live.record.queue, paused: true } });
        live.save();
      });
    }
    this.#halt();
    return true;
  }

  /** Ends the active run and queues another one to begin next, both durable at once. Returns the queued run as recorded. */
  interrupt(next: QueuedRun): QueuedRun {
    const { live } = this.#context;
    const active = this.activeRun;
    const also = () => {
      if (active !== null) live.store.updateRun({ ...active, stop: true });
    };
    const queued = enqueueRun(this.#context, next, { position: "first", also });
    if (active !== null) active.stop = true;
    this.#halt();
    return queued;
  }

  #halt(): void {
    if (this.#execution === null) this.resume();
    this.#execution?.abort.abort(new Error("stopped"));
  }

  /** The active run, executed or suspended; null while the thread is idle. */
  get activeRun(): ActiveRun | null {
    const { live } = this.#context;
    const { active_run_id } = live.record;
    if (this.#execution !== null) return this.#execution.run;
    const run = active_run_id === null ? null : live.store.run(active_run_id);
    return isActive(run) ? run : null;
  }

  /**
   * Resumes a suspended run now, because a result that it waits for arrived. An executed run finds the result itself. What `change`
   * sets is written together with the resumption.
   */
  resumeNow(runId: string | null, change: (run: SuspendedRun) => void = () => {}): void {
    const run = this.#suspended(runId);
    if (run === null) return;
    change(run);
    this.#resumeSuspended(run);
  }

  #resumeSuspended(run: SuspendedRun): void {
    this.#execute(recordResumption(this.#context, run), { resumed: true });
    // The catalog, and a parent that shows the calls of this thread, learn that the run goes on.
    this.#context.wakeups.runSoon();
  }

  /** Shows the calls that a suspended run waits for, after a child changed the row of its call. An executed run shows them later. */
  showAwaited(row: MessageRecord): void {
    const run = this.#suspended(row.run_id);
    if (run === null) return;
    recordAwaitedCalls(this.#context, run, row);
    this.#context.live.broadcaster.becomeIdle();
    this.#context.wakeups.runSoon();
  }

  /** The active run if it has this id and is suspended. */
  #suspended(runId: string | null): SuspendedRun | null {
    const { live } = this.#context;
    if (this.#execution !== null || runId === null || live.record.active_run_id !== runId) return null;
    const run = live.store.run(runId);
    return isActive(run) && isSuspended(run) ? run : null;
  }

  /** The thread was deleted, or is being deleted. */
  get gone(): boolean {
    return this.#context.live.retired || this.#closing;
  }

  /** Begins no more runs while the thread is being deleted; with false, after a deletion that failed, begins them again. */
  close(closing: boolean): void {
    this.#closing = closing;
  }

  /** The thread is deleted: aborts the executed run, which must not write any more. */
  abandon(): void {
    this.#context.live.retire();
    this.#execution?.abort.abort(new Error("deleted"));
  }

  #execute(run: ExecutedRun, { resumed }: { resumed: boolean }): void {
    const { live, wakeups, background } = this.#context;
    wakeups.startHeartbeat();
    const abort = new AbortController();
    if (run.stop) abort.abort(new Error("stopped"));
    this.#execution = { run, abort };
    live.runState.execute(run);
    background(this.#executeToHalt({ run, abort }, resumed).catch((thrown: unknown) => this.#release(run, thrown)));
  }

  async #executeToHalt({ run, abort }: Execution, resumed: boolean): Promise<void> {
    const { faults, storage, live } = this.#context;
    const { meter } = storage;
    const before = meter.snapshot();
    let assembled: AssembledRun | null = null;
    let halt: Halt;
    try {
      if (resumed) {
        // The resumption is durable before the run goes on. If the run kills its object at once, what was written in the same turn is
        // lost, and the run would be resumed without end. Waiting for the disk also lets requests in between runs that fail at once.
        await faults.at("run.taken-up");
        await storage.sync();
      }
      await faults.at("run.assemble");
      assembled = await assembleRun(this.#context, run, abort);
      await faults.at("run.loop");
      halt = await loop(assembled.ports, abort.signal);
    } catch (thrown) {
      if (live.retired) return;
      halt = { type: "end", end: recordFailure(this.#context, run, thrown) };
    } finally {
      assembled?.limits.halt();
    }
    if (live.retired) return;
    if (halt.type === "suspend") this.#suspend(run, assembled, halt.until);
    else this.#finish(run, assembled, halt.end);
    logRunLine(this.#context, run, { halt, rows: meter.since(before) });
  }

  /** Handles a failure to write the run's end. The run stays as it is, and the alarm resumes it like one that a crash interrupted. */
  #release(run: ExecutedRun, thrown: unknown): void {
    logUnstoredEnd(this.#context, run, thrown);
    if (this.#execution?.run === run) this.#endExecution();
  }

  #endExecution(): void {
    this.#execution = null;
    this.#context.live.runState.execute(null);
  }

  /** Suspends the run until a time (microseconds): it is a row and an alarm, and nothing in memory (architecture §5.3). */
  #suspend(run: ExecutedRun, assembled: AssembledRun | null, until: number): void {
    const { live, wakeups, background } = this.#context;
    assembled?.journal.close();
    this.#endExecution();
    // A result or a stop may have arrived while other calls of the step were still running. Results from before this execution that
    // the loop has not read wait for a call that is still open.
    const known = assembled?.answered ?? new Set();
    if (run.stop || assembled?.journal.messages.some((row) => hasDeliveredResult(row) && !known.has(row.id)) === true) {
      this.#execute(run, { resumed: true });
      return;
    }
    const messages = assembled?.journal.messages ?? [];
    const isShown = recordSuspension(this.#context, run, { until, messages });
    wakeups.suspendUntil(until);
    live.broadcaster.becomeIdle();
    // The list of threads shows which threads wait for a client.
    if (isShown) background(wakeups.runAndSleep());
  }

  #finish(run: ActiveRun, assembled: AssembledRun | null, ended: RunEnd): void {
    const { live, wakeups, background } = this.#context;
    const { next, end } = leftCalls(run.progress, ended);
    // A run that was not executed has no heartbeat, and its end has to reach the catalog.
    wakeups.notAfter(longestHeartbeatMs);
    const messages = assembled?.journal.messages ?? live.store.messagesAfter(run.branch, run.after_position);
    finishRun(this.#context, run, { end, messages });
    assembled?.journal.close();
    this.#endExecution();
    this.#beginCalls(run.progress, next);
    if (!this.beginNext()) live.broadcaster.becomeIdle();
    background(wakeups.runAndSleep());
  }

  /** Starts a run for the queued calls that the last run did not make. */
  #beginCalls({ chain = 0 }: ActiveRun["progress"], calls: QueuedCall[]): void {
    const { queue } = this.#context.live.record;
    if (calls.length === 0 || this.#closing || queue.paused) return;
    const waiting = { calls, chain: chain + 1 };
    const run = newRun(this.#context, { kind: "tool", limits: null, input: null, waiting });
    // Inputs that wait already run first.
    if (queue.run_ids.length > 0) enqueueRun(this.#context, run);
    else this.begin(run, { trigger: "continuation", isNew: true, follows: true });
  }

  /** Begins the first queued run, unless a stop paused the queue. Returns whether it began one. */
  beginNext(): boolean {
    const { live } = this.#context;
    const { active_run_id, queue } = live.record;
    if (this.#closing || this.#execution !== null || active_run_id !== null || queue.paused) return false;
    const [next, ...run_ids] = queue.run_ids;
    if (next === undefined) return false;
    const run = live.store.run(next);
    live.change({ queue: { ...queue, run_ids } });
    // A run that was deleted or stopped leaves the queue without an event.
    if (run?.status !== "queued") return this.beginNext();
    try {
      this.begin(run, { trigger: "queue", isNew: false });
    } catch (thrown) {
      // The run's beginning was not written, so the run stays in the queue.
      live.change({ queue });
      throw thrown;
    }
    return true;
  }
}
