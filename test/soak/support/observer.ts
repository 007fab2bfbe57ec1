// Receives every moment of the external servers. It measures the time until a thread that a kill interrupted shows its
// first sign of life, and checks that a stopped run shows none.

import type { Actor } from "./actor.ts";
import type { Findings } from "./findings.ts";
import type { Company } from "./life-plan.ts";
import type { Moment } from "./stage.ts";

/** The time from the server's readiness to the first sign of life of a thread that the last kill interrupted. */
export interface Recovery {
  thread: string;
  company: Company;
  seconds: number;
}

/** One for each run of the suite. */
export class Observer {
  readonly recoveries: Recovery[] = [];
  readonly #actors: ReadonlyMap<string, Actor>;
  readonly #findings: Findings;
  #company: Company = "client";
  #readyAt: number | null = null;

  constructor(actors: readonly Actor[], findings: Findings) {
    this.#actors = new Map(actors.map((actor) => [actor.name, actor]));
    this.#findings = findings;
  }

  /** Starts a life whose server is not ready yet. */
  begin(company: Company): void {
    this.#company = company;
    this.#readyAt = null;
  }

  /** The server is ready. */
  ready(): void {
    this.#readyAt = performance.now();
  }

  received({ thread, mark, place, at, last }: Moment): void {
    const actor = this.#actors.get(thread);
    if (actor === undefined) return this.#findings.add("SURV2", `no client sent ${mark}`);
    if (at === "asked") actor.requested(mark, place);
    if (at === "said" && last === true) actor.saidLast(mark);
    const stoppedIn = actor.turn(mark)?.stoppedIn ?? null;
    if (stoppedIn !== null && stoppedIn < this.#findings.life) {
      this.#findings.add("SURV9", `${mark} was stopped in life ${String(stoppedIn)} and goes on: ${at} ${place}`);
    }
    if (!actor.owes) return;
    actor.owes = false;
    const now = performance.now();
    // A sign of life before the server reports its readiness counts as zero seconds.
    this.recoveries.push({ thread, company: this.#company, seconds: (now - (this.#readyAt ?? now)) / 1000 });
  }
}
