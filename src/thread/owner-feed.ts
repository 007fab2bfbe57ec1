// Tells the owner's feed what becomes of the thread: what a list of threads shows of it. A courtesy: nothing is written or tried
// later for it, no run waits for it or hears that it failed, and a word that is lost is cured by listing. One word is on its way
// at a time; what changes meanwhile is one more, with the newest state.

import type { FeedWord } from "#contract/feed.ts";
import type { FeedDirectory, FeedTold } from "#core/feed-rpc.ts";
import type { ThreadRecord } from "#core/record.ts";
import type { Caller } from "#core/thread-rpc.ts";
import { toThread } from "#core/view.ts";

import type { LiveThread } from "./live-thread.ts";

/** What to tell an owner, made when its turn comes. */
interface Waiting {
  type: FeedWord["type"];
  word: () => FeedWord;
}

/** `creation` of a thread that is still being made; one that is refused was never there. */
const unfinished = "";

/** Tries of one word: the first may meet an object that was just reset. */
const tries = 2;

/** One per object, so that what is told of a thread that was deleted comes before what is told of the next one under its id. */
export class OwnerFeed {
  readonly #feeds: FeedDirectory<FeedTold>;
  readonly #background: (work: Promise<unknown>) => void;
  readonly #waiting = new Map<string | null, Waiting>();
  /** Leases of admitted inputs that no feed message has carried yet. */
  #admitted: string[] = [];
  #telling = false;

  constructor(feeds: FeedDirectory<FeedTold>, background: (work: Promise<unknown>) => void) {
    this.#feeds = feeds;
    this.#background = background;
  }

  /** Tells every change of what a list shows, from here on. */
  watch(live: LiveThread): void {
    let shown = live.record;
    live.onSaved(() => {
      const before = shown;
      shown = live.record;
      // The end of its making is told as such.
      if (before.creation !== unfinished && isShownOtherwise(before, shown)) this.again(live);
    });
  }

  /** The thread as it stands, whether or not that was told: whoever came late to a long run hears of it. */
  again(live: LiveThread): void {
    this.#put(live.record, "thread_updated", live);
  }

  /**
   * Confirms the caller's lease, if there is one, after its input was admitted: the next feed message carries the lease. An idle
   * thread sends no message, so one is sent for it.
   */
  admitted({ lease }: Caller, live: LiveThread): void {
    if (lease === undefined || live.retired) return;
    const { user_id, parent, status } = live.record;
    if (parent !== null) {
      // A child thread does not count and sends no feed messages; the parent thread that waits for it counts.
      this.#background(
        this.#feeds(user_id)
          .giveBack(lease.id, "all")
          .catch(() => undefined),
      );
      return;
    }
    this.#admitted.push(lease.id);
    if (status !== "running") this.again(live);
  }

  /** The thread was made, or brought in. */
  created(live: LiveThread): void {
    this.#put(live.record, "thread_created", live);
  }

  /** The thread is gone. */
  deleted(record: Readonly<ThreadRecord>): void {
    this.#put(record, "thread_deleted", null);
  }

  #put(record: Readonly<ThreadRecord>, type: FeedWord["type"], live: LiveThread | null): void {
    const { id, user_id, parent, creation } = record;
    // Lists show what answers nobody's call.
    if (parent !== null || creation === unfinished) return;
    // If `thread_created` has not been sent yet, a later update is still sent as `thread_created`.
    const told = type === "thread_updated" ? (this.#waiting.get(user_id)?.type ?? type) : type;
    this.#waiting.set(user_id, {
      type: told,
      // As it is once the writes of this moment are made, or were taken back.
      word: () =>
        live === null || told === "thread_deleted"
          ? { type: "thread_deleted", thread_id: id }
          : { type: told, thread: { ...toThread(live.record), last_seq: live.lastSeq } },
    });
    if (!this.#telling) this.#background(this.#tellAll());
  }

  async #tellAll(): Promise<void> {
    this.#telling = true;
    await Promise.resolve();
    for (let next = this.#next(); next !== null; next = this.#next()) await this.#tell(...next);
    this.#telling = false;
  }

  #next(): [owner: string | null, word: FeedWord] | null {
    for (const [owner, { word }] of this.#waiting) {
      this.#waiting.delete(owner);
      return [owner, word()];
    }
    return null;
  }

  async #tell(owner: string | null, word: FeedWord): Promise<void> {
    const admitted = this.#admitted;
    this.#admitted = [];
    for (let attempt = 1; attempt <= tries; attempt++) {
      try {
        await this.#feeds(owner).tell(owner, word, admitted);
        return;
      } catch {
        // The message is lost and not logged: the catalog has the state, and a client lists its threads when it reconnects.
      }
    }
  }
}

/** Fields that a list shows and a run changes only when it begins, rests, hands over and ends. */
const shownFields = [
  "status",
  "title",
  "tags",
  "metadata",
  "agent_id",
  "active_run_id",
  "pending",
  "usage",
  "cost",
] as const satisfies (keyof ThreadRecord)[];

function isShownOtherwise(before: Readonly<ThreadRecord>, after: Readonly<ThreadRecord>): boolean {
  if (shownFields.some((field) => before[field] !== after[field])) return true;
  // The messages of a run are told of with its end.
  if (after.active_run_id !== null) return false;
  return before.counts !== after.counts || before.updated_at !== after.updated_at;
}
