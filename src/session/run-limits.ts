// The limits of one drive of a session's run: what its options allow, what it used by now, and the timer that cuts it when its
// time is over. What was driven before a rest counts, the rest itself does not.

import type { Limits } from "#contract/run.ts";
import { noBounds } from "#core/limits/amounts.ts";
import type { Bounds } from "#core/limits/amounts.ts";
import { reachedLimit, timeLeft } from "#core/limits/reached.ts";
import type { Budget } from "#core/limits/reached.ts";
import { TimeUp } from "#core/limits/time-up.ts";
import { usedOf, workOf } from "#core/limits/used.ts";
import type { LimitPort, ReachedLimit, Reserved } from "#core/ports/limit-port.ts";
import { runBounds } from "#flow/limit-bounds.ts";
import { systemClock } from "#lib/system-clock.ts";

import type { OpenRun } from "./conversation.ts";
import { sessionAgent } from "./definitions.ts";

/** Allowed where nobody sets a limit: as many steps as a thread's run may take (decision 8). */
const allowed = { run: { ...noBounds, steps: 250 } satisfies Bounds };

/** One per drive. */
export class SessionLimits implements LimitPort {
  readonly #open: OpenRun;
  readonly #abort = new AbortController();
  readonly #begun = systemClock.now();
  readonly #before: number;
  #disarm: () => void = () => {};

  constructor(open: OpenRun) {
    this.#open = open;
    this.#before = open.run.driven_ms ?? 0;
    this.#watch();
  }

  /** Fires when the run's time is over. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  drivenMs(): number {
    return this.#before + Math.max(0, Math.round((systemClock.now() - this.#begun) / 1000));
  }

  reached(): Promise<ReachedLimit | null> {
    const reason = reachedLimit(this.#budgets());
    return Promise.resolve(reason === null ? null : { reason, until: null });
  }

  /** Reserves nothing, because a session sends one model request at a time. */
  async reserve(): Promise<Reserved> {
    const limit = await this.reached();
    return limit === null ? { release: () => {} } : { limit };
  }

  /** There are no child threads. */
  forChild(): Promise<Limits | null> {
    return Promise.resolve(null);
  }

  /** The drive is over. */
  halt(): void {
    this.#disarm();
    this.#open.run.driven_ms = this.drivenMs();
  }

  #budgets(): { run: Budget; thread: Budget } {
    const { run, journal, strategy } = this.#open;
    const own = { turns: strategy.turns, driven_ms: this.drivenMs(), paid: run.paid ?? 0 };
    const used = usedOf(run, workOf(journal.messages, own));
    const speaking = { agent: sessionAgent, side: sessionAgent.sideA, handedOver: false };
    return { run: { bounds: runBounds(speaking, run, allowed), used }, thread: { bounds: noBounds, used } };
  }

  #watch(): void {
    const left = timeLeft(this.#budgets());
    if (left === null) return;
    const { ms, reason } = left;
    if (ms === 0) this.#abort.abort(new TimeUp(reason));
    else this.#disarm = systemClock.after(ms, () => this.#watch());
  }
}
