// A list of threads that stays as it should be: asked for once, and kept by what the owner's feed tells. It is asked for again
// when the feed begins anew, when a word leaves open what belongs into it, and every few seconds while there is no feed for it.
// Threads that did not change stay the same objects, and so does the list.

import type { FeedEvent } from "#contract/feed.ts";
import type { Thread } from "#contract/thread.ts";

import { ThreadholdClientError } from "../client-error.ts";
import type { FeedFollow } from "../follow/feed-follow.ts";
import { Listeners } from "../follow/listeners.ts";
import type { Requests } from "../request.ts";
import type { ThreadFilter, Threads } from "../threads.ts";
import { fits, without, withThread } from "./in-list.ts";

/** A list as it stands. */
export interface ThreadListView {
  readonly threads: readonly Thread[];
  /** Nothing came yet. */
  readonly loading: boolean;
  /** Why the last asking failed; the threads are those of the one before. */
  readonly error: Error | null;
}

/** How a list is kept. */
export interface ThreadListOptions {
  /** Milliseconds between two askings while no feed keeps the list, 5,000 by default; none while nobody looks at the page. */
  everyMs?: number | undefined;
}

/** What a list is made of. */
export interface ThreadListPorts {
  requests: Requests;
  list: Threads["list"];
  /** The feed that keeps it; null for a list that none does. */
  feed: () => FeedFollow | null;
  /** Fires when the client is closed: from then on nothing is asked for by itself. */
  closed: AbortSignal;
}

/** Threads on a page where a filter says nothing else. */
const pageLength = 50;

/** Milliseconds in which several reasons to ask again are one. */
const soonMs = 1000;

/** A list. It opens nothing before somebody subscribes. */
export class ThreadList {
  readonly #ports: ThreadListPorts;
  readonly #filter: ThreadFilter;
  readonly #everyMs: number;
  readonly #changes = new Listeners<[]>();
  #state: ThreadListView = { threads: [], loading: true, error: null };
  /** More threads follow those of the page. */
  #more = false;
  #feed: FeedFollow | null = null;
  #leave: AbortController | null = null;
  #asking = false;
  /** Asking is due, once that is possible. */
  #due = false;
  /** A word left open what belongs into the list: asking is due in a moment. */
  #soon = false;
  #callOff: (() => void) | null = null;

  constructor(ports: ThreadListPorts, filter: ThreadFilter, { everyMs = 5000 }: ThreadListOptions) {
    this.#ports = ports;
    this.#filter = filter;
    this.#everyMs = everyMs;
  }

  /** The list as it stands; the same object until something changes. */
  get state(): ThreadListView {
    return this.#state;
  }

  /** Keeps the list, and calls `listener` whenever `state` is another. Leave with what is given back. */
  subscribe(listener: () => void): () => void {
    const unlisten = this.#changes.add(listener);
    const leave = this.#leave ?? this.#begin();
    return () => {
      unlisten();
      if (this.#changes.size === 0 && leave === this.#leave) leave.abort();
    };
  }

  /** Asks again now. */
  refresh(): void {
    this.#ask();
  }

  #begin(): AbortController {
    const { requests, closed } = this.#ports;
    const leave = new AbortController();
    const feed = this.#ports.feed();
    this.#leave = leave;
    this.#feed = feed;
    const ends = [
      requests.settings.presence.watch((change) => {
        if (change !== "offline" && !closed.aborted && (this.#due || this.#soon || !this.#isKept)) this.#ask();
      }),
    ];
    if (feed !== null) {
      ends.push(
        feed.onEvent((event) => this.#hear(event)),
        feed.onChange(() => {
          if (!this.#isKept && !this.#asking && this.#callOff === null) this.#askIn(this.#everyMs);
        }),
        feed.hold(),
      );
    }
    closed.addEventListener("abort", () => this.#rest(), { signal: leave.signal });
    leave.signal.addEventListener("abort", () => {
      this.#leave = null;
      this.#asking = false;
      this.#rest();
      for (const end of ends) end();
    });
    this.#ask();
    return leave;
  }

  /** The feed tells of every thread that is shown. An administrator's list shows those of many owners. */
  get #isKept(): boolean {
    const owner = this.#feed?.owner;
    return owner !== undefined && this.#state.threads.every(({ user_id }) => user_id === owner);
  }

  #hear(event: FeedEvent): void {
    if (event.type === "feed_start") return this.#ask();
    const { threads } = this.#state;
    if (event.type === "thread_deleted") return this.#change(without(threads, event.thread_id));
    const { thread } = event;
    const known = threads.find(({ id }) => id === thread.id);
    // One that was deleted and made again begins anew; else what is older than what is known says nothing.
    if (event.type === "thread_updated" && known !== undefined && thread.last_seq < known.last_seq) return;
    // What a run says is searched once the run is over.
    if (fits(thread, this.#filter) === null && thread.status !== "running") this.#askSoon();
    this.#change(withThread(threads, thread, this.#filter));
  }

  /** Shows what a word made of the list. Where one went, the first of those that follow comes into its place. */
  #change(threads: readonly Thread[]): void {
    if (this.#more && threads.length < this.#state.threads.length) this.#askSoon();
    this.#put(threads);
  }

  /** Shows a list, as far as it fits on the page. */
  #put(threads: readonly Thread[], { loading, error }: Omit<ThreadListView, "threads"> = this.#state): void {
    const length = this.#filter.limit ?? pageLength;
    this.#more ||= threads.length > length;
    this.#show({ threads: threads.slice(0, length), loading, error });
  }

  #show({ threads: given, loading, error }: ThreadListView): void {
    const before = this.#state;
    const threads = kept(given, before.threads);
    if (threads === before.threads && loading === before.loading && error?.message === before.error?.message) return;
    this.#state = { threads, loading, error };
    this.#changes.tell();
  }

  #ask(): void {
    const { presence } = this.#ports.requests.settings;
    const leave = this.#leave;
    this.#due = true;
    if (leave === null || this.#asking || !presence.visible || !presence.online) return;
    this.#rest();
    void this.#load(leave);
  }

  async #load(leave: AbortController): Promise<void> {
    this.#asking = true;
    this.#due = false;
    this.#soon = false;
    const since = this.#feed?.words ?? 0;
    let pauseMs: number | null = null;
    try {
      const { items, next_cursor } = await this.#ports.list(this.#filter, { signal: leave.signal });
      if (leave.signal.aborted) return;
      this.#more = next_cursor !== null;
      this.#put(this.#withWords(items, since), { loading: false, error: null });
      if (!this.#isKept) pauseMs = this.#everyMs;
    } catch (thrown) {
      if (leave.signal.aborted) return;
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#show({ ...this.#state, loading: false, error });
      const asked = error instanceof ThreadholdClientError ? (error.retryAfterMs ?? 0) : 0;
      pauseMs = Math.max(2 * this.#everyMs, asked);
    }
    this.#asking = false;
    if (this.#due) this.#ask();
    else if (this.#soon) this.#askIn(soonMs);
    else if (pauseMs !== null) this.#askIn(pauseMs);
  }

  /**
   * An answer, with what was heard that it does not know: words that came after it was asked for, and what is newer than the
   * catalog, which learns of a run when it is over.
   */
  #withWords(items: readonly Thread[], since: number): readonly Thread[] {
    let threads = items;
    for (const [id, { at, thread }] of this.#feed?.heard ?? []) {
      const listed = items.find((item) => item.id === id);
      if (thread === null) threads = at > since ? without(threads, id) : threads;
      else if (listed === undefined ? at > since || thread.status === "running" : thread.last_seq >= listed.last_seq)
        threads = withThread(threads, thread, this.#filter);
    }
    return threads;
  }

  #askIn(milliseconds: number): void {
    this.#rest();
    if (this.#ports.closed.aborted) return;
    this.#callOff = this.#ports.requests.settings.timers.after(milliseconds, () => {
      this.#callOff = null;
      this.#ask();
    });
  }

  #askSoon(): void {
    if (this.#soon) return;
    this.#soon = true;
    if (!this.#asking) this.#askIn(soonMs);
  }

  #rest(): void {
    this.#callOff?.();
    this.#callOff = null;
  }
}

/** The new list made of the old objects where they say the same; the old list where all do. */
function kept(threads: readonly Thread[], before: readonly Thread[]): readonly Thread[] {
  const known = new Map(before.map((thread) => [thread.id, thread]));
  const next = threads.map((thread) => {
    const old = known.get(thread.id);
    return old !== undefined && JSON.stringify(old) === JSON.stringify(thread) ? old : thread;
  });
  return next.length === before.length && next.every((thread, at) => thread === before[at]) ? before : next;
}
