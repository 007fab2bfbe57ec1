// Connects the external servers (models and effects) with the suite. They report each moment of a model stream or an
// effect here. A moment is a sign of life of its thread. The request is paused at the moment at which the suite wants to
// kill the server, so a kill does not depend on time.

import { within } from "../../support/http-client/deadline.ts";

/** Moments of a model request, and of a tool's request to the server outside. */
export type MomentKind =
  | "asked"
  | "delta"
  | "said"
  | "refused"
  | "effect_asked"
  | "effect_done"
  | "effect_answered"
  | "reconcile_asked";

/** Moments within a model stream or a tool. */
export const inside: readonly MomentKind[] = ["delta", "effect_asked", "effect_done", "reconcile_asked"];

/** One moment. */
export interface Moment {
  at: MomentKind;
  thread: string;
  mark: string;
  /** The step of a model request, or the call of an effect. */
  place: string;
  /** The share of a stream that was sent, above 0 and below 1. */
  part?: number;
  /** The last stream or effect of its run: there is no later one to wait for. */
  last?: boolean;
}

/**
 * The moment that a thread has to reach in this life. If `hold` is true, its request is paused there. A thread without a
 * stop point runs undisturbed.
 */
export interface StopPoint {
  at: readonly MomentKind[];
  /** The share of a stream at which the moment is reached. */
  part: number;
  /** Of streams, only the last one of its run. */
  lastStream?: boolean;
  /** The number of streams and effects to let pass first; the last one of a run is not passed over. */
  skip: number;
  hold: boolean;
}

interface OpenStopPoint extends StopPoint {
  skipped: Set<string>;
}

/** What a server does with a paused request: continue it, or close its connection. */
export type Verdict = "go" | "cut";

const timeoutMs = 60_000;

/** The suite has one stage for all lives of the server. */
export class Stage {
  #stopPoints = new Map<string, OpenStopPoint>();
  /** The planned moment that each thread has reached. */
  readonly reached = new Map<string, Moment>();
  /** The last moments of each thread in this life, with the seconds since its beginning. */
  readonly latest = new Map<string, string[]>();
  #begunAt = 0;
  #release: ((verdict: Verdict) => void)[] = [];
  #open = false;
  #life = 0;
  #waiting: (() => void)[] = [];
  readonly #received: (moment: Moment) => void;

  constructor(received: (moment: Moment) => void) {
    this.#received = received;
  }

  /** Starts a life. */
  begin(stopPoints: ReadonlyMap<string, StopPoint>): void {
    this.#stopPoints = new Map(
      [...stopPoints].map(([thread, stopPoint]) => [thread, { ...stopPoint, skipped: new Set() }]),
    );
    this.reached.clear();
    this.latest.clear();
    this.#begunAt = performance.now();
    this.#open = true;
    this.#life += 1;
  }

  /** Ends a life: the server was killed, so paused requests get no response. */
  end(): void {
    this.#open = false;
    const release = this.#release;
    this.#release = [];
    for (const letGo of release) letGo("cut");
  }

  /**
   * Registers a request. The moments of the request are reported to the returned function. A response may still be sent
   * after its reader was killed; moments of an earlier life are not counted.
   */
  enter(): (moment: Moment) => Promise<Verdict> {
    const life = this.#life;
    return (moment) => (life === this.#life ? this.#pass(moment) : Promise.resolve("cut"));
  }

  /** Resolves once the request may continue; if it is paused, not before the kill. */
  async #pass(moment: Moment): Promise<Verdict> {
    // A request that was on its way when its sender was killed.
    if (!this.#open) return "cut";
    this.#received(moment);
    const seconds = ((performance.now() - this.#begunAt) / 1000).toFixed(1);
    const part = moment.part === undefined ? "" : ` ${moment.part.toFixed(2)}`;
    const earlier = this.latest.get(moment.thread) ?? [];
    this.latest.set(moment.thread, [
      ...earlier.slice(-7),
      `${seconds} s ${moment.at} ${moment.mark}/${moment.place}${part}`,
    ]);
    const stopPoint = this.#stopPoints.get(moment.thread);
    if (stopPoint === undefined || this.reached.has(moment.thread) || !isStopPoint(stopPoint, moment)) {
      this.ring();
      return "go";
    }
    this.reached.set(moment.thread, moment);
    this.ring();
    if (!stopPoint.hold) return "go";
    return new Promise((resolve) => this.#release.push(resolve));
  }

  /** Checks the conditions of all waits in `until` again. */
  ring(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /**
   * Waits until `test` is true. It is checked at each moment, and regularly for what followers received meanwhile.
   * Returns false if it stays false for too long.
   */
  async until(test: () => boolean): Promise<boolean> {
    let over = false;
    const look = setInterval(() => this.ring(), 250);
    const came = (async () => {
      while (!over && !test()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    })();
    try {
      await within(timeoutMs, "a moment outside", came);
      return true;
    } catch {
      return false;
    } finally {
      over = true;
      clearInterval(look);
    }
  }
}

function isStopPoint({ at, part, skip, skipped, lastStream }: OpenStopPoint, moment: Moment): boolean {
  if (!at.includes(moment.at)) return false;
  if (moment.at === "delta" && lastStream === true && moment.last !== true) return false;
  const work = `${moment.mark} ${moment.place}`;
  if (moment.last !== true && !skipped.has(work) && skipped.size < skip) skipped.add(work);
  if (skipped.has(work)) return false;
  return moment.part === undefined || moment.part >= part;
}
