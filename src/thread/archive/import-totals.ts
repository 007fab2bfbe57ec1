// Counts of an imported thread, made from its records: what a file says of sums is not asked.

import { refuse } from "#contract/error.ts";
import { isFinished } from "#contract/finished.ts";
import { addCost, addUsage, zeroUsage } from "#contract/usage.ts";
import type { Usage } from "#contract/usage.ts";
import type { ArchivedMessage, ArchivedRun } from "#core/archive/archive-record.ts";
import type { Work } from "#core/awaited.ts";
import { addWork, noWork, workIn } from "#core/limits/used.ts";
import { counted } from "#core/message-counts.ts";
import type { MessageCounts } from "#core/record.ts";
import type { BranchStretch } from "#store/branch-path.ts";

/** Bytes of records that belong to the run under way: ending it takes them into memory. */
const underWayLimit = 64 * 1024 * 1024;

/** One per import. */
export class ImportTotals {
  readonly #stretches: Map<string, string | null>;
  #underWay = 0;
  #usage: Usage = zeroUsage;
  #cost: number | null = 0;
  #work: Work = noWork;
  #lastPosition = "";
  counts: MessageCounts = {};
  /** The run under way, once it was read. */
  active: ArchivedRun | null = null;
  /** Counts of what stood before it. */
  countsBefore: MessageCounts = {};

  /** `path` is that of the present branch. */
  constructor(path: readonly BranchStretch[]) {
    this.#stretches = new Map(path.map(({ branch, upTo }) => [branch, upTo]));
  }

  /** Adds what a finished run used. */
  run(run: ArchivedRun): void {
    const { status, usage, cost } = run;
    if (!isFinished(status)) return;
    this.#usage = addUsage(this.#usage, usage);
    this.#cost = addCost(this.#cost, cost);
    this.#work = addWork(this.#work, workIn(run));
  }

  message(message: ArchivedMessage, bytes: number): void {
    const { position } = message;
    if (position > this.#lastPosition) this.#lastPosition = position;
    const upTo = this.#stretches.get(message.branch);
    if (upTo === undefined || (upTo !== null && position > upTo)) return;
    this.counts = counted(this.counts, message, 1);
    if (this.active === null) return;
    if (position <= this.active.after_position) this.countsBefore = counted(this.countsBefore, message, 1);
    else this.underWay(bytes);
  }

  /** Counts bytes of the run under way. */
  underWay(bytes: number): void {
    this.#underWay += bytes;
    if (this.#underWay <= underWayLimit) return;
    throw refuse("too_large", `What belongs to the run under way has more than ${underWayLimit} bytes.`);
  }

  /** The greater one of the last place there is and the last that is said to have been given. */
  lastPosition(said: string): string {
    return said > this.#lastPosition ? said : this.#lastPosition;
  }

  /** What all runs used. Refused where no number can say it exactly. */
  get spent(): { usage: Usage; cost: number | null; work: Work } {
    const { paid: _, ...work } = this.#work;
    const counts: number[] = Object.values({ ...this.#usage, ...work });
    if (counts.every(Number.isSafeInteger)) return { usage: this.#usage, cost: this.#cost, work: this.#work };
    throw refuse("invalid_request", "The runs of the file used more tokens than can be.");
  }
}
