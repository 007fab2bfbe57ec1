// A subscription to the feed of an owner: the events that report created, updated and deleted threads. The server keeps no
// history of the feed, so lists are requested again after each reconnect. The latest event of each thread is kept, because the
// response to a list request may be older than an event that arrived before it.

import type { FeedEvent } from "#contract/feed.ts";
import type { Thread } from "#contract/thread.ts";

import type { Requests } from "../send-request.ts";
import type { Connection } from "./connection.ts";
import { Link } from "./link.ts";
import type { Carriers } from "./link.ts";
import { Listeners } from "./listeners.ts";
import { feedStream } from "./stream.ts";

/** The latest feed event of a thread: its state, or null after its deletion. */
export interface ReceivedThread {
  /** Number of the event within this subscription, from 1. */
  readonly eventNumber: number;
  readonly thread: Thread | null;
}

/** The maximum number of threads whose latest event is kept. The thread that was updated longest ago is dropped first. */
const maxReceived = 1000;

/** Dependencies and options of a feed subscription. */
export interface FeedFollowPorts {
  requests: Requests;
  /** The owner of the threads; the caller if undefined. */
  userId: string | undefined;
  /** Called once, when the subscription is closed. */
  onClose: () => void;
  carriers?: Carriers | undefined;
}

/** A subscription to the feed of one owner. It reconnects until it is closed. */
export class FeedFollow {
  readonly #link: Link;
  readonly #events = new Listeners<[FeedEvent]>();
  readonly #received = new Map<string, ReceivedThread>();
  #eventCount = 0;
  #owner: string | null | undefined;

  constructor({ requests, userId, onClose, carriers }: FeedFollowPorts) {
    this.#link = new Link({
      requests,
      stream: feedStream(userId),
      after: () => null,
      // Events are not validated here, because the server builds them from the same schemas.
      onEvent: (event) => this.#receive(event as FeedEvent),
      onClose,
      carriers,
    });
    this.#link.start();
  }

  get connection(): Connection {
    return this.#link.connection;
  }

  /** Id of the owner whose threads the feed reports; null for threads without an owner, undefined while the feed is not connected. */
  get owner(): string | null | undefined {
    return this.connection.state === "live" ? this.#owner : undefined;
  }

  /** The latest event of each thread since the feed last connected, by thread id. */
  get received(): ReadonlyMap<string, ReceivedThread> {
    return this.#received;
  }

  /** Number of events that this subscription has received. */
  get eventCount(): number {
    return this.#eventCount;
  }

  /** Calls the listener for each event. The first event after each connect is `feed_start`. */
  onEvent(listener: (event: FeedEvent) => void): () => void {
    return this.#events.add(listener);
  }

  /** Calls the listener when `connection` changes. */
  onChange(listener: () => void): () => void {
    return this.#link.onChange(listener);
  }

  /** Keeps the subscription open until the returned function is called. */
  hold(): () => void {
    return this.#link.hold();
  }

  /** Connects at once if the subscription waits before its next attempt. */
  retry(): void {
    this.#link.retry();
  }

  close(): void {
    this.#link.close();
  }

  #receive(event: FeedEvent): void {
    this.#eventCount += 1;
    switch (event.type) {
      case "feed_start":
        this.#received.clear();
        this.#owner = event.user_id;
        break;
      case "thread_created":
      case "thread_updated":
        this.#keep(event.thread.id, event.thread);
        break;
      case "thread_deleted":
        this.#keep(event.thread_id, null);
        break;
      default:
        // A newer server sent an event type that this client does not know.
        return;
    }
    // A feed event does not count as progress, because the feed cannot be resumed after it. The link itself counts a connection that has
    // stayed open for a while as progress.
    this.#events.notify(event);
  }

  #keep(id: string, thread: Thread | null): void {
    this.#received.delete(id);
    this.#received.set(id, { eventNumber: this.#eventCount, thread });
    const [oldest] = this.#received.keys();
    if (this.#received.size > maxReceived && oldest !== undefined) this.#received.delete(oldest);
  }
}
