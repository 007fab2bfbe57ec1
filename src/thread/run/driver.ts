// Executes the runs of a thread one at a time: begins a run, resumes it after a crash or a suspension, ends it, and begins the next queued
// one. Each change of a run's state is durable before the run continues.

import type { RunEnd } from "#core/ports/strategy-port.ts";
import type { MessageRecord } from "#core/record/record.ts";
import type { ActiveRun, ExecutedRun, QueuedCall, QueuedRun, SuspendedRun } from "#core/record/run-record.ts";
import { isActive, isSuspended } from "#core/record/run-state.ts";

import { longestHeartbeatMs } from "../alarm.ts";
import type { ActiveRunPort } from "../thread-ports.ts";
import { leftCalls } from "./left-calls.ts";
import { closeOpenCalls, leftRun, recoverRun } from "./recovery.ts";
import { executeRun, hasDeliveredResult } from "./run-execution.ts";
import type { ExecutedLoop, Journal, RunContext } from "./run-execution.ts";
import { givenUp, logUnstoredEnd, retractAnswers } from "./run-failure.ts";
import { logRunLine } from "./run-line.ts";
import { recordAwaitedCalls, recordSuspension, recordResumption } from "./suspension.ts";
import { beginRun, enqueueRun, finishRun, newRun } from "./write-run.ts";
import type { Beginning } from "./write-run.ts";

/** The run that is being executed. */
interface Execution {
  run: ExecutedRun;
  abort: AbortController;
}

/** Executes the runs of one thread. */
export class Driver implements ActiveRunPort {
  readonly #context: RunContext;
  #execution: Execution | null = null;
  #closing = false;

  constructor(context: RunContext) {
    this.#context = context;
  }

  /**
   * Begins a run; no other run may be active. `isNew`: the run has no row yet. `follows`: the run makes tool calls that the previous run
   * queued and did not make.
   */
  begin(run: QueuedRun, how: Beginning & { follows?: boolean }): ExecutedRun {
    const begun = beginRun(this.#context, run, how);
    this.#execute(begun, { resumed: how.follows ?? !how.isNew });
    return begun;
  }

  /**
   * Resumes the active run after a crash or at the end of its suspension. Without an active run, begins the next queued one. Does nothing
   * while a run is executed.
   */
  resume(): void {
    const { live, wakeups } = this.#context;
    const { clock } = this.#context.deployment;
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

  /** Ends the active run of an imported thread. Nothing of the run is executed here. */
  endInterrupted(end: RunEnd): void {
    const run = this.activeRun;
    if (run === null || this.#execution !== null) return;
    const interrupted = leftRun(this.#context.live, run);
    retractAnswers(this.#context, interrupted);
    this.#finish(interrupted, null, end);
  }

  /** Requests a stop of the active run, stores the request and pauses the queue. Returns false if the run is not active. */
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

  /** Requests a stop of the active run and queues `next` in the first position, in one transaction. Returns the queued run. */
  interrupt(next: QueuedRun): QueuedRun {
    const { live } = this.#context;
    const active = this.activeRun;
    const also = () => {
      if (active !== null) live.store.updateRun({ ...active, stop: true });
    };
    const queued = enqueueRun(this.#context.live, next, { position: "first", also });
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
   * Resumes a suspended run now, because a result arrived or its limit was raised. Does nothing for an executed run, which reads the result
   * itself. Changes that `change` makes to the run are written together with the resumption.
   */
  resumeNow(runId: string | null, change: (run: SuspendedRun) => void = () => {}): void {
    const run = this.#suspended(runId);
    if (run === null) return;
    change(run);
    this.#resumeSuspended(run);
  }

  #resumeSuspended(run: SuspendedRun): void {
    this.#execute(recordResumption(this.#context.live, run), { resumed: true });
    // Notifies the catalog (the deployment's index of all threads), and a parent thread that shows this thread's calls, that the run
    // continues.
    this.#context.wakeups.runSoon();
  }

  /**
   * Publishes the waiting calls of a suspended run again, after a child thread changed the call in `row`. A run that is being executed
   * publishes its waiting calls when it is suspended.
   */
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

  /** True if the thread was deleted or is being deleted. */
  get gone(): boolean {
    return this.#context.live.retired || this.#closing;
  }

  /** From now on no more runs begin, because the thread is being deleted. */
  close(): void {
    this.#closing = true;
  }

  /** Aborts the executed run after the thread was deleted. The run must not write any more. */
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
    const { live, storage } = this.#context;
    const { faults } = this.#context.deployment;
    const { meter } = storage;
    const before = meter.snapshot();
    await faults.at("run.execute");
    const executed = await executeRun(this.#context, run, { abort, resumed });
    if (executed === null) return;
    const { journal, assembled, halt } = executed;
    if (halt.type === "suspend") this.#suspend(run, executed, halt.until);
    else this.#finish(run, journal, halt.end);
    logRunLine(this.#context, run, { halt, rows: meter.since(before) });
    const ended = halt.type === "end" && assembled?.hooks.afterRun !== undefined ? live.store.run(run.id) : null;
    if (ended === null) return;
    await faults.at("run.after-hook");
    await assembled?.hooks.afterRun?.(ended);
  }

  /** Handles a failure to write the run's end. The run's row stays active, and the alarm resumes the run as after a crash. */
  #release(run: ExecutedRun, thrown: unknown): void {
    logUnstoredEnd(this.#context, run, thrown);
    if (this.#execution?.run === run) this.#endExecution();
  }

  #endExecution(): void {
    this.#execution = null;
    this.#context.live.runState.execute(null);
  }

  /** Suspends the run until a time (microseconds). A suspended run is a row and an alarm, and uses no memory (architecture §5.3). */
  #suspend(run: ExecutedRun, { journal, assembled }: ExecutedLoop, until: number): void {
    const { live, wakeups, background } = this.#context;
    journal?.close();
    this.#endExecution();
    // If a result or a stop arrived while other calls of the step were running, the run continues at once. Results from before this
    // execution do not count: the loop has not read them because a call of the same step is still open.
    const known = assembled?.answered ?? new Set();
    if (run.stop || journal?.messages.some((row) => hasDeliveredResult(row) && !known.has(row.id)) === true) {
      this.#execute(run, { resumed: true });
      return;
    }
    const messages = journal?.messages ?? [];
    const isShown = recordSuspension(this.#context, run, { until, messages });
    wakeups.suspendUntil(until);
    this.#context.traces?.flush();
    live.broadcaster.becomeIdle();
    // Lists of threads show which threads wait for a client, so the catalog is updated.
    if (isShown) background(wakeups.runAndSleep());
  }

  #finish(run: ActiveRun, journal: Journal | null, ended: RunEnd): void {
    const { live, wakeups, background, traces } = this.#context;
    const { next, end } = leftCalls(run.progress, ended);
    // Sets an alarm in case of a crash: the end has to reach the catalog, and a run that was not executed has no heartbeat.
    wakeups.notAfter(longestHeartbeatMs);
    const messages = journal?.messages ?? live.store.messagesAfter(run.branch, run.after_position);
    const finished = finishRun(this.#context, run, { end, messages });
    traces?.endRun(finished, run.progress.trace);
    journal?.close();
    this.#endExecution();
    this.#beginCalls(run.progress, next);
    if (!this.beginNext()) live.broadcaster.becomeIdle();
    background(wakeups.runAndSleep());
  }

  /** Starts a run for the tool calls that definitions queued and that the last run did not make. */
  #beginCalls({ chain = 0 }: ActiveRun["progress"], calls: QueuedCall[]): void {
    const { queue } = this.#context.live.record;
    if (calls.length === 0 || this.#closing || queue.paused) return;
    const waiting = { calls, chain: chain + 1 };
    const run = newRun(this.#context, { kind: "tool", limits: null, input: null, waiting });
    // Queued inputs run before these calls.
    if (queue.run_ids.length > 0) enqueueRun(this.#context.live, run);
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
