// A list of threads that stays current. The first page is requested once and then updated by events of the owner's feed. If few of the
// deployment's threads match, a response may be short: further requests fill the page, up to a bound that `loadMore` raises. The page is requested
// again when the feed reconnects, when an event is not sufficient to update it, and at an interval while it may contain threads that no
// feed reports. Unchanged threads stay the same objects, and so does an unchanged list.

import type { FeedEvent } from "#contract/feed.ts";
import type { Thread } from "#contract/thread.ts";

import { ThreadholdClientError } from "../client-error.ts";
import type { FeedFollow } from "../follow/feed-follow.ts";
import { Listeners } from "../follow/listeners.ts";
import { fillPage, mostRequests } from "../paged-list.ts";
import type { Page, PagePosition } from "../paged-list.ts";
import type { RequestOptions, Requests } from "../send-request.ts";
import type { ThreadFilter } from "../threads.ts";
import { matchesFilter, removeThread, placeThread } from "./place-thread.ts";

/** State of a list. */
export interface ThreadListView {
  readonly threads: readonly Thread[];
  /** True until the first request has succeeded or failed, and while `loadMore` searches. */
  readonly loading: boolean;
  /**
   * True if further threads may match. If `threads` has fewer than `limit`, not all threads of the server were searched: an empty list does
   * not mean that no thread matches, and `loadMore` continues the search.
   */
  readonly hasMore: boolean;
  /** Why the last request failed; `threads` are those of the last successful one. */
  readonly error: Error | null;
}

/** Options of a list. */
export interface ThreadListOptions {
  /** Milliseconds between two requests while no feed updates the list. Default 5,000. A hidden page sends no requests. */
  everyMs?: number | undefined;
}

/** Dependencies of a list. */
export interface ThreadListPorts {
  requests: Requests;
  /** Returns a function that requests a page. */
  fetchPage: (filter: ThreadFilter, options: RequestOptions) => (position: PagePosition) => Promise<Page<Thread>>;
  /** Returns the feed that updates the list; null for a list of threads that no feed reports. */
  feed: () => FeedFollow | null;
  /** Aborted when the client is closed. From then on the list sends no requests by itself. */
  closed: AbortSignal;
}

/** Threads on a page if the filter has no `limit`. */
export const pageLength = 50;

/** Milliseconds in which several reasons for a new request are combined into one. */
const combineMs = 1000;

/** A list of threads. It sends nothing before the first subscriber. */
export class ThreadList {
  readonly #ports: ThreadListPorts;
  readonly #filter: ThreadFilter;
  /** Threads on a full page. */
  readonly #length: number;
  readonly #everyMs: number;
  readonly #changes = new Listeners<[]>();
  #state: ThreadListView = { threads: [], loading: true, hasMore: false, error: null };
  /** Requests with which the page is filled at most. */
  #most = mostRequests;
  #feed: FeedFollow | null = null;
  #controller: AbortController | null = null;
  #isRequesting = false;
  /** True if a request is needed. It is sent when the page is visible and online and no other request is pending. */
  #isDue = false;
  /** True if an event was not sufficient to update the list. A request follows after `combineMs`. */
  #isDueSoon = false;
  #cancelTimer: (() => void) | null = null;

  constructor(ports: ThreadListPorts, filter: ThreadFilter, { everyMs = 5000 }: ThreadListOptions) {
    this.#ports = ports;
    this.#filter = filter;
    this.#length = filter.limit ?? pageLength;
    this.#everyMs = everyMs;
  }

  /** The current list; the same object until something changes. */
  get state(): ThreadListView {
    return this.#state;
  }

  /** Keeps the list current and calls `listener` when `state` changes, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    const unlisten = this.#changes.add(listener);
    const controller = this.#controller ?? this.#begin();
    return () => {
      unlisten();
      if (this.#changes.size === 0 && controller === this.#controller) controller.abort();
    };
  }

  /** Requests the list again now. */
  refresh(): void {
    this.#request();
  }

  /** Searches further threads, with ten more requests, if the list has fewer than `limit` and `hasMore`. */
  loadMore(): void {
    const { threads, hasMore } = this.#state;
    if (this.#controller === null || !hasMore || threads.length >= this.#length) return;
    this.#most += mostRequests;
    this.#show({ ...this.#state, loading: true });
    this.#request();
  }

  #begin(): AbortController {
    const { requests, closed } = this.#ports;
    const controller = new AbortController();
    const feed = this.#ports.feed();
    this.#controller = controller;
    this.#feed = feed;
    const ends = [
      requests.settings.presence.watch((change) => {
        if (change !== "offline" && !closed.aborted && (this.#isDue || this.#isDueSoon || !this.#isCoveredByFeed))
          this.#request();
      }),
    ];
    if (feed !== null) {
      ends.push(
        feed.onEvent((event) => this.#receive(event)),
        feed.onChange(() => {
          if (!this.#isCoveredByFeed && !this.#isRequesting && this.#cancelTimer === null)
            this.#requestIn(this.#everyMs);
        }),
        feed.hold(),
      );
    }
    closed.addEventListener("abort", () => this.#stopTimer(), { signal: controller.signal });
    controller.signal.addEventListener("abort", () => {
      this.#controller = null;
      this.#isRequesting = false;
      this.#stopTimer();
      for (const end of ends) end();
    });
    this.#request();
    return controller;
  }

  /**
   * Whether the feed reports every thread of the list, so that no polling is needed. A feed reports the threads of one owner, or to
   * an administrator those without an owner. The list of an administrator may contain threads of all owners.
   */
  get #isCoveredByFeed(): boolean {
    const owner = this.#feed?.owner;
    return typeof owner === "string" && this.#state.threads.every(({ user_id }) => user_id === owner);
  }

  #receive(event: FeedEvent): void {
    if (event.type === "feed_start") return this.#request();
    const { threads } = this.#state;
    if (event.type === "thread_deleted") return this.#change(removeThread(threads, event.thread_id));
    const { thread } = event;
    const known = threads.find(({ id }) => id === thread.id);
    // A thread that was deleted and created again starts at seq 1. Otherwise an event older than the listed thread is ignored.
    if (event.type === "thread_updated" && known !== undefined && thread.last_seq < known.last_seq) return;
    // The server's search includes the messages of a run only after the run has ended.
    if (matchesFilter(thread, this.#filter) === null && thread.status !== "running") this.#requestSoon();
    this.#change(placeThread(threads, thread, this.#filter));
  }

  /** Shows the list after an event. If a thread was removed and the server has more threads, a request fills the page again. */
  #change(threads: readonly Thread[]): void {
    if (this.#state.hasMore && threads.length < this.#state.threads.length) this.#requestSoon();
    this.#showPage(threads);
  }

  /** Shows a list, shortened to the length of a page. */
  #showPage(threads: readonly Thread[], view: Omit<ThreadListView, "threads"> = this.#state): void {
    const length = this.#length;
    this.#show({ ...view, threads: threads.slice(0, length), hasMore: view.hasMore || threads.length > length });
  }

  #show(view: ThreadListView): void {
    const before = this.#state;
    const next = { ...view, threads: reuseUnchanged(view.threads, before.threads) };
    const { threads, loading, hasMore, error } = next;
    const isSame = threads === before.threads && loading === before.loading && hasMore === before.hasMore;
    if (isSame && error?.message === before.error?.message) return;
    this.#state = next;
    this.#changes.notify();
  }

  #request(): void {
    const { presence } = this.#ports.requests.settings;
    const controller = this.#controller;
    this.#isDue = true;
    if (controller === null || this.#isRequesting || !presence.visible || !presence.online) return;
    this.#stopTimer();
    void this.#load(controller);
  }

  async #load(controller: AbortController): Promise<void> {
    this.#isRequesting = true;
    this.#isDue = false;
    this.#isDueSoon = false;
    const since = this.#feed?.eventCount ?? 0;
    let pauseMs: number | null = null;
    try {
      const fetchPage = this.#ports.fetchPage(this.#filter, { signal: controller.signal });
      const [{ items, next_cursor }, requests] = await fillPage(fetchPage, this.#length, this.#most);
      if (controller.signal.aborted) return;
      this.#showPage(this.#withReceived(items, since), { loading: false, hasMore: next_cursor !== null, error: null });
      // The pause grows with the number of requests, so that a list that needs many of them does not send more of them.
      if (!this.#isCoveredByFeed) pauseMs = this.#everyMs * requests;
    } catch (thrown) {
      if (controller.signal.aborted) return;
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#show({ ...this.#state, loading: false, error });
      const asked = error instanceof ThreadholdClientError ? (error.retryAfterMs ?? 0) : 0;
      pauseMs = Math.max(2 * this.#everyMs, asked);
    }
    this.#isRequesting = false;
    if (this.#isDue) this.#request();
    else if (this.#isDueSoon) this.#requestIn(combineMs);
    else if (pauseMs !== null) this.#requestIn(pauseMs);
  }

  /**
   * Adds feed events to a response that does not include them: events that arrived after the request was sent, and states that are newer
   * than the server's catalog (its index of all threads), which is updated after a run was suspended or has ended.
   */
  #withReceived(items: readonly Thread[], since: number): readonly Thread[] {
    let threads = items;
    for (const [id, { eventNumber, thread }] of this.#feed?.received ?? []) {
      const listed = items.find((item) => item.id === id);
      if (thread === null) threads = eventNumber > since ? removeThread(threads, id) : threads;
      else if (
        listed === undefined ? eventNumber > since || thread.status !== "idle" : thread.last_seq >= listed.last_seq
      )
        threads = placeThread(threads, thread, this.#filter);
    }
    return threads;
  }

  #requestIn(milliseconds: number): void {
    this.#stopTimer();
    if (this.#ports.closed.aborted) return;
    this.#cancelTimer = this.#ports.requests.settings.timers.after(milliseconds, () => {
      this.#cancelTimer = null;
      this.#request();
    });
  }

  #requestSoon(): void {
    if (this.#isDueSoon) return;
    this.#isDueSoon = true;
    if (!this.#isRequesting) this.#requestIn(combineMs);
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = null;
  }
}

/** Replaces the threads of a new list by equal old objects. Returns the old list if no thread changed. */
function reuseUnchanged(threads: readonly Thread[], before: readonly Thread[]): readonly Thread[] {
  const known = new Map(before.map((thread) => [thread.id, thread]));
  const next = threads.map((thread) => {
    const old = known.get(thread.id);
    return old !== undefined && JSON.stringify(old) === JSON.stringify(thread) ? old : thread;
  });
  return next.length === before.length && next.every((thread, at) => thread === before[at]) ? before : next;
}
