// Messages of the store in memory: one table for each branch, sorted by position, and an index by id.

import { refuse } from "#contract/error.ts";
import type { MessageQuery, MessageRange, TimelineQuery } from "#core/ports/thread-store.ts";
import { changedCounts } from "#core/record/message-counts.ts";
import type { MessageCounts, MessageRecord } from "#core/record/record.ts";
import type { BranchStretch } from "#store/branch-path.ts";
import { justAbove, lastKey } from "#store/key-range.ts";

import { SortedRows } from "./sorted-rows.ts";
import type { UndoLog } from "./undo-log.ts";

interface Place {
  id: string;
  branch: string;
  position: string;
}

/** The messages of one thread; `path` returns the sections of a branch. */
export class MemoryMessages {
  readonly #undo: UndoLog;
  readonly #path: (branch: string) => BranchStretch[];
  readonly #branches = new Map<string, SortedRows<string, MessageRecord>>();
  readonly #places: SortedRows<string, Place>;

  constructor(undo: UndoLog, path: (branch: string) => BranchStretch[]) {
    this.#undo = undo;
    this.#path = path;
    this.#places = new SortedRows("message", undo);
  }

  #rows(branch: string): SortedRows<string, MessageRecord> {
    const rows = this.#branches.get(branch) ?? new SortedRows<string, MessageRecord>("message", this.#undo);
    this.#branches.set(branch, rows);
    return rows;
  }

  insert(message: MessageRecord): void {
    if (this.#path(message.branch).length === 0) throw refuse("internal", `There is no branch ${message.branch}.`);
    this.#rows(message.branch).insert(message.position, message);
    const { id, branch, position } = message;
    this.#places.insert(id, { id, branch, position });
  }

  update(message: MessageRecord): void {
    const there = this.#isAt(message);
    this.#rows(message.branch).update(there ? message.position : "", message);
  }

  delete(message: MessageRecord): void {
    if (!this.#isAt(message)) return;
    this.#rows(message.branch).delete(message.position);
    this.#places.delete(message.id);
  }

  find(id: string): MessageRecord | null {
    const place = this.#places.find(id);
    return place === null ? null : this.#rows(place.branch).find(place.position);
  }

  page({ branch, order, limit, beyond, above, includeSilent, maxDepth }: MessageQuery): MessageRecord[] {
    const bounds = order === "asc" ? { above: beyond } : { below: beyond, above };
    const found: MessageRecord[] = [];
    for (const message of this.#walk(branch, order, bounds)) {
      if (found.length >= limit) break;
      if (message.silent && !includeSilent) continue;
      if (maxDepth !== undefined && message.depth > maxDepth) continue;
      found.push(message);
    }
    return found;
  }

  after(branch: string, position: string): MessageRecord[] {
    return [...this.#walk(branch, "asc", { above: position })];
  }

  *timeline({ order, beyond }: TimelineQuery): Generator<MessageRecord> {
    const bounds = order === "asc" ? { above: beyond } : { below: beyond };
    const all = [...this.#branches.values()].flatMap((rows) => [...rows.walk({ order, ...bounds })]);
    yield* all.toSorted((left, right) => (left.position < right.position === (order === "asc") ? -1 : 1));
  }

  count({ branch, after, upTo }: MessageRange): MessageCounts {
    const below = upTo === null ? lastKey : justAbove(upTo);
    let counts: MessageCounts = {};
    for (const message of this.#walk(branch, "asc", { above: after, below }))
      counts = changedCounts(counts, message, 1);
    return counts;
  }

  every({ after, limit }: { after: Pick<Place, "branch" | "position"> | null; limit: number }): MessageRecord[] {
    const found: MessageRecord[] = [];
    const branches = [...this.#branches.keys()].filter((branch) => after === null || branch >= after.branch);
    for (const branch of branches.toSorted()) {
      const above = branch === after?.branch ? after.position : undefined;
      for (const message of this.#rows(branch).walk({ order: "asc", above })) {
        if (found.length === limit) return found;
        found.push(message);
      }
    }
    return found;
  }

  *#walk(
    branch: string,
    order: "asc" | "desc",
    { above, below = lastKey }: { above?: string | undefined; below?: string | undefined },
  ): Generator<MessageRecord> {
    const stretches = this.#path(branch);
    for (const { branch: stretch, upTo } of order === "asc" ? stretches : stretches.toReversed()) {
      const end = upTo === null ? lastKey : justAbove(upTo);
      yield* this.#rows(stretch).walk({ order, above, below: end < below ? end : below });
    }
  }

  #isAt({ id, branch, position }: MessageRecord): boolean {
    const place = this.#places.find(id);
    return place !== null && place.branch === branch && place.position === position;
  }
}
