// Where the servers outside meet the suite: each moment of a model stream or an effect passes here, is noted as a sign of
// life of its thread, and is held where the suite wants the power cut. So a kill falls on a known moment, never on a time.

import { within } from "../../support/http-client/deadline.ts";

/** Moments of a model request, and of a tool's request to the outside. */
export type MomentKind =
  | "asked"
  | "delta"
  | "said"
  | "refused"
  | "effect_asked"
  | "effect_done"
  | "effect_answered"
  | "reconcile_asked";

/** Moments inside a model stream or a tool. */
export const inside: readonly MomentKind[] = ["delta", "effect_asked", "effect_done", "reconcile_asked"];

/** One moment. */
export interface Moment {
  at: MomentKind;
  thread: string;
  mark: string;
  /** The step of a model request, the call of an effect. */
  place: string;
  /** Of a stream: its part that was sent, above 0 and below 1. */
  part?: number;
  /** Nothing comes after it in its run: it cannot be passed over. */
  last?: boolean;
}

/** What is to happen to a thread in this life; without one it goes on undisturbed. */
export interface Wish {
  at: readonly MomentKind[];
  /** How far into a stream. */
  part: number;
  /** Of streams only the one that nothing comes after. */
  lastStream?: boolean;
  /** Streams and effects to let pass first, unless nothing comes after. */
  skip: number;
  hold: boolean;
}

interface OpenWish extends Wish {
  skipped: Set<string>;
}

/** What the outside may do with a request. */
export type Verdict = "go" | "cut";

const patience = 60_000;

/** One per suite; a life of the server after the other. */
export class Stage {
  #wishes = new Map<string, OpenWish>();
  /** Where each thread's wish came true. */
  readonly reached = new Map<string, Moment>();
  #release: ((verdict: Verdict) => void)[] = [];
  #open = false;
  #life = 0;
  #waiting: (() => void)[] = [];
  readonly #seen: (moment: Moment) => void;

  constructor(seen: (moment: Moment) => void) {
    this.#seen = seen;
  }

  /** A life begins. */
  begin(wishes: ReadonlyMap<string, Wish>): void {
    this.#wishes = new Map([...wishes].map(([thread, wish]) => [thread, { ...wish, skipped: new Set() }]));
    this.reached.clear();
    this.#open = true;
    this.#life += 1;
  }

  /** The server was killed: what is held will never be answered. */
  end(): void {
    this.#open = false;
    const release = this.#release;
    this.#release = [];
    for (const letGo of release) letGo("cut");
  }

  /**
   * A request has come. Tell its moments to what this gives: an answer that was still being sent when its reader was killed
   * goes on into the next life, and is no sign of anything there.
   */
  enter(): (moment: Moment) => Promise<Verdict> {
    const life = this.#life;
    return (moment) => (life === this.#life ? this.#pass(moment) : Promise.resolve("cut"));
  }

  /** Resolves once the moment may go on; never before the kill where it is held. */
  async #pass(moment: Moment): Promise<Verdict> {
    // A request that was still on its way when its sender was killed.
    if (!this.#open) return "cut";
    this.#seen(moment);
    const wish = this.#wishes.get(moment.thread);
    if (wish === undefined || this.reached.has(moment.thread) || !isWished(wish, moment)) {
      this.ring();
      return "go";
    }
    this.reached.set(moment.thread, moment);
    this.ring();
    if (!wish.hold) return "go";
    return new Promise((resolve) => this.#release.push(resolve));
  }

  /** Something changed that someone may wait for. */
  ring(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /**
   * Waits until `test` holds, looking again at each moment, and now and then for what followers were told meanwhile. False
   * when it does not come.
   */
  async until(test: () => boolean): Promise<boolean> {
    let over = false;
    const look = setInterval(() => this.ring(), 250);
    const came = (async () => {
      while (!over && !test()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    })();
    try {
      await within(patience, "a moment outside", came);
      return true;
    } catch {
      return false;
    } finally {
      over = true;
      clearInterval(look);
    }
  }
}

function isWished({ at, part, skip, skipped, lastStream }: OpenWish, moment: Moment): boolean {
  if (!at.includes(moment.at)) return false;
  if (moment.at === "delta" && lastStream === true && moment.last !== true) return false;
  const work = `${moment.mark} ${moment.place}`;
  if (moment.last !== true && !skipped.has(work) && skipped.size < skip) skipped.add(work);
  if (skipped.has(work)) return false;
  return moment.part === undefined || moment.part >= part;
}
