// Sends changes of the thread to the owner's feed, which keeps clients' lists of threads current. Feed messages are best effort: they are
// not stored, and a failed one is retried only once. They never block or fail a run. If a message is lost, a client's list is outdated
// until the thread's next change or until the client requests the list again. One message is sent at a time; changes in the meantime are
// combined into one further message with the newest state.

import type { FeedMessage } from "#contract/feed.ts";
import type { ThreadRecord } from "#core/record/record.ts";
import { toListedThread } from "#core/record/view.ts";
import type { FeedDirectory, OwnerFeedRpc } from "#core/rpc/feed-rpc.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

import type { LiveThread } from "./live/live-thread.ts";

/** A feed message that waits to be sent. `message` builds it right before that. */
interface PendingMessage {
  type: FeedMessage["type"];
  message: () => FeedMessage;
}

/**
 * The value of `creation` in the row of a thread whose creation has not ended. No feed messages are sent for it, because the creation may
 * still be refused.
 */
const unfinished = "";

/** Attempts to send one message: the first may reach an object that was just reset. */
const tries = 2;

/**
 * Sends the feed messages of one object. An object keeps the same instance for its next thread with the same id, so that messages about a
 * deleted thread are sent before those about the new one.
 */
export class OwnerFeed {
  readonly #feeds: FeedDirectory<OwnerFeedRpc>;
  readonly #background: (work: Promise<unknown>) => void;
  readonly #waiting = new Map<string | null, PendingMessage>();
  /** Ids of leases (rights to one running thread) whose inputs were admitted and that no feed message has contained yet. */
  #admitted: string[] = [];
  #publishing = false;

  constructor(feeds: FeedDirectory<OwnerFeedRpc>, background: (work: Promise<unknown>) => void) {
    this.#feeds = feeds;
    this.#background = background;
  }

  /** From now on sends a message after each change of a field that lists show. */
  watch(live: LiveThread): void {
    let shown = live.record;
    live.onSaved(() => {
      const before = shown;
      shown = live.record;
      // `created` sends the message for the end of the creation.
      if (before.creation !== unfinished && changesList(before, shown)) this.sendUpdate(live);
    });
  }

  /** Sends the current state even if it was sent before. A client that subscribed during a long run thereby receives it too. */
  sendUpdate(live: LiveThread): void {
    this.#put(live.record, "thread_updated", live);
  }

  /**
   * Confirms the caller's lease, if there is one, after its input was admitted: the next feed message contains the lease's id. If the input
   * started no run, the thread sends no message by itself, so one is sent here.
   */
  confirmLease({ lease }: Caller, live: LiveThread): void {
    if (lease === undefined || live.retired) return;
    const { user_id, parent, status } = live.record;
    if (parent !== null) {
      // A child thread does not count as a running thread and sends no feed messages. The parent thread that waits for it counts.
      this.#background(
        this.#feeds(user_id)
          .giveBack(lease.id, "all")
          .catch(() => undefined),
      );
      return;
    }
    this.#admitted.push(lease.id);
    if (status !== "running") this.sendUpdate(live);
  }

  /** Sends that the thread was created or imported. */
  created(live: LiveThread): void {
    this.#put(live.record, "thread_created", live);
  }

  /** Sends that the thread was deleted. */
  deleted(record: Readonly<ThreadRecord>): void {
    this.#put(record, "thread_deleted", null);
  }

  #put(record: Readonly<ThreadRecord>, type: FeedMessage["type"], live: LiveThread | null): void {
    const { id, user_id, parent, creation } = record;
    // Lists do not show child threads.
    if (parent !== null || creation === unfinished) return;
    // If `thread_created` has not been sent yet, a later update is still sent as `thread_created`.
    const sentType = type === "thread_updated" ? (this.#waiting.get(user_id)?.type ?? type) : type;
    this.#waiting.set(user_id, {
      type: sentType,
      // Reads the thread when the message is sent: by then the current transaction has succeeded or was rolled back.
      message: () =>
        live === null || sentType === "thread_deleted"
          ? { type: "thread_deleted", thread_id: id }
          : { type: sentType, thread: { ...toListedThread(live.record), last_seq: live.lastSeq } },
    });
    if (!this.#publishing) this.#background(this.#publishAll());
  }

  async #publishAll(): Promise<void> {
    this.#publishing = true;
    await Promise.resolve();
    for (let next = this.#next(); next !== null; next = this.#next()) await this.#publish(...next);
    this.#publishing = false;
  }

  #next(): [owner: string | null, message: FeedMessage] | null {
    for (const [owner, { message }] of this.#waiting) {
      this.#waiting.delete(owner);
      return [owner, message()];
    }
    return null;
  }

  async #publish(owner: string | null, message: FeedMessage): Promise<void> {
    const admitted = this.#admitted;
    this.#admitted = [];
    for (let attempt = 1; attempt <= tries; attempt++) {
      try {
        await this.#feeds(owner).publish(owner, message, admitted);
        return;
      } catch {
        // The lost message is not logged: the catalog has the thread's state, and a client receives it with its next request of the list.
      }
    }
  }
}

/** Fields that lists show. A run changes them only when it begins, is suspended, hands the thread over, or ends. */
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

function changesList(before: Readonly<ThreadRecord>, after: Readonly<ThreadRecord>): boolean {
  if (shownFields.some((field) => before[field] !== after[field])) return true;
  // While a run is active, new messages are not sent to the feed. The end of the run is sent.
  if (after.active_run_id !== null) return false;
  return before.counts !== after.counts || before.updated_at !== after.updated_at;
}
