// The limits of one execution of an in-process run (executed in the caller's process, without a Worker or a thread): what the run may use,
// what it has used, and the timer that aborts it when its time is over. The time of earlier executions counts, the time between them does
// not.

import { eachAmount, noBounds } from "#core/limits/amounts.ts";
import type { Bounds } from "#core/limits/amounts.ts";
import { reachedLimit, remainingTime, withUse } from "#core/limits/reached.ts";
import type { Budget } from "#core/limits/reached.ts";
import { continuedShare } from "#core/limits/request-share.ts";
import { TimeLimitReached } from "#core/limits/time-limit-reached.ts";
import { usedOf, workOf } from "#core/limits/used.ts";
import type { Clock } from "#core/ports/clock.ts";
import type { LimitPort, ReachedLimit, Reserved } from "#core/ports/limit-port.ts";
import type { AnswerSoFar, ModelRequest } from "#core/ports/model-port.ts";
import type { RunPorts } from "#core/ports/run-ports.ts";

/** The limits of one execution. `bounds` apply to amounts that the run's record does not limit. */
export class HostLimits implements LimitPort {
  readonly #ports: Pick<RunPorts, "run" | "journal">;
  readonly #bounds: Bounds;
  readonly #clock: Clock;
  /** Null if the run has no time limit. */
  #abort: AbortController | null = null;
  readonly #begun: number;
  readonly #before: number;
  #disarm: () => void = () => {};

  constructor({ clock, ...ports }: Pick<RunPorts, "run" | "journal" | "clock">, bounds: Bounds) {
    this.#ports = ports;
    this.#bounds = bounds;
    this.#clock = clock;
    this.#begun = clock.now();
    this.#before = ports.run.progress.driven_ms ?? 0;
    this.#watch();
  }

  /** The signal that is aborted when the run's time limit is reached. Undefined if the run has no time limit. */
  get signal(): AbortSignal | undefined {
    return this.#abort?.signal;
  }

  drivenMs(): number {
    return this.#before + Math.max(0, Math.round((this.#clock.now() - this.#begun) / 1000));
  }

  reached(): Promise<ReachedLimit | null> {
    if (this.#isUnlimited()) return Promise.resolve(null);
    const reason = reachedLimit(this.#budgets());
    return Promise.resolve(reason === null ? null : { reason, until: null });
  }

  /** Reserves nothing, because an in-process run sends one model request at a time. */
  async reserve(request: ModelRequest): Promise<Reserved> {
    const limit = await this.reached();
    if (limit !== null) return { limit };
    return {
      release: () => {},
      extend: (soFar, isAllowed = () => true) => this.#mayContinue(request, soFar) && isAllowed(),
    };
  }

  /** Whether no limit is reached with the part of an answer so far. */
  #mayContinue(request: ModelRequest, soFar: AnswerSoFar): boolean {
    if (this.#isUnlimited()) return true;
    const budgets = this.#budgets();
    const { used } = continuedShare(request, soFar, [budgets.run.bounds]);
    return reachedLimit(withUse(budgets, used)) === null;
  }

  /** An in-process run has no child threads. */
  forChild(): Promise<null> {
    return Promise.resolve(null);
  }

  /** Stops the timer and adds the time of this execution to the run's record. */
  halt(): void {
    this.#disarm();
    this.#ports.run.progress.driven_ms = this.drivenMs();
  }

  #isUnlimited(): boolean {
    return this.#bounds === noBounds && this.#ports.run.limits === null;
  }

  #budgets(): { run: Budget; thread: Budget } {
    const { run, journal } = this.#ports;
    const used = usedOf(
      run,
      workOf(journal.messages, { turns: 0, driven_ms: this.drivenMs(), paid: run.progress.paid ?? 0 }),
    );
    const bounds = eachAmount((name) => {
      const asked = run.limits?.[name];
      return asked === undefined ? this.#bounds[name] : asked;
    });
    return { run: { bounds, used }, thread: { bounds: noBounds, used } };
  }

  #watch(): void {
    if (this.#isUnlimited()) return;
    const left = remainingTime(this.#budgets());
    if (left === null) return;
    const { ms, reason } = left;
    this.#abort ??= new AbortController();
    if (ms === 0) this.#abort.abort(new TimeLimitReached(reason));
    else this.#disarm = this.#clock.after(ms, () => this.#watch());
  }
}
