// What becomes of an owner's threads, followed for ever. Nothing is kept on the other side: each time it begins anew, and whoever
// shows a list lists again. What was heard since is kept for those lists, since an answer may be older than a word.

import type { FeedEvent } from "#contract/feed.ts";
import type { Thread } from "#contract/thread.ts";

import type { Requests } from "../request.ts";
import type { Connection } from "./connection.ts";
import { Link } from "./link.ts";
import type { Carriers } from "./link.ts";
import { Listeners } from "./listeners.ts";
import { feedStream } from "./stream.ts";

/** The last word about a thread: how it stands, or null for one that is gone. */
export interface Heard {
  /** Which word of the subscription it was. */
  readonly at: number;
  readonly thread: Thread | null;
}

/** Threads whose last word is kept; the longest unheard go first. */
const mostHeard = 1000;

/** What a follow is made with. */
export interface FeedFollowPorts {
  requests: Requests;
  /** Whose threads; the caller's own where nobody is named. */
  userId: string | undefined;
  /** Called once, when it is over. */
  onClose: () => void;
  carriers?: Carriers | undefined;
}

/** A subscription. */
export class FeedFollow {
  readonly #link: Link;
  readonly #events = new Listeners<[FeedEvent]>();
  readonly #heard = new Map<string, Heard>();
  #words = 0;
  #owner: string | null | undefined;

  constructor({ requests, userId, onClose, carriers }: FeedFollowPorts) {
    this.#link = new Link({
      requests,
      stream: feedStream(userId),
      after: () => null,
      // The server that is asked is built with the same schemas.
      take: (told) => this.#take(told as FeedEvent),
      onClose,
      carriers,
    });
    this.#link.start();
  }

  get connection(): Connection {
    return this.#link.connection;
  }

  /** Whose threads are told; undefined while none are. */
  get owner(): string | null | undefined {
    return this.connection.state === "live" ? this.#owner : undefined;
  }

  /** The last words since it began, by the ids of the threads. */
  get heard(): ReadonlyMap<string, Heard> {
    return this.#heard;
  }

  /** How many words came in all. */
  get words(): number {
    return this.#words;
  }

  /** Tells of each word; the first after each beginning is `feed_start`. */
  onEvent(listener: (event: FeedEvent) => void): () => void {
    return this.#events.add(listener);
  }

  /** Tells that `connection` is another. */
  onChange(listener: () => void): () => void {
    return this.#link.onChange(listener);
  }

  /** Keeps it open until the function given back is called. */
  hold(): () => void {
    return this.#link.hold();
  }

  /** Tries to connect at once if it waits before its next try. */
  retry(): void {
    this.#link.retry();
  }

  close(): void {
    this.#link.close();
  }

  #take(event: FeedEvent): void {
    this.#words += 1;
    switch (event.type) {
      case "feed_start":
        this.#heard.clear();
        this.#owner = event.user_id;
        break;
      case "thread_created":
      case "thread_updated":
        this.#hear(event.thread.id, event.thread);
        break;
      case "thread_deleted":
        this.#hear(event.thread_id, null);
        break;
      default:
        // A kind of word that is newer than this client.
        return;
    }
    // No word is progress, since none is a place to go on from: only holding for a while is.
    this.#events.tell(event);
  }

  #hear(id: string, thread: Thread | null): void {
    this.#heard.delete(id);
    this.#heard.set(id, { at: this.#words, thread });
    const [oldest] = this.#heard.keys();
    if (this.#heard.size > mostHeard && oldest !== undefined) this.#heard.delete(oldest);
  }
}
