// A client of one deployment, as one caller. Holds the subscriptions that are open, one a thread and one a feed, however many ask
// for it.

import { emptyView } from "#contract/fold.ts";
import type { Thread } from "#contract/thread.ts";
import type { UsageReport } from "#contract/usage-route.ts";

import { definitions } from "./definitions.ts";
import type { Definitions } from "./definitions.ts";
import { FeedFollow } from "./follow/feed-follow.ts";
import { Follow } from "./follow/follow.ts";
import type { Known } from "./follow/follow.ts";
import { Requests } from "./request.ts";
import type { RequestOptions, RouteRequest } from "./request.ts";
import type { RouteAnswer, RouteKey, RouteQuery } from "./route-type.ts";
import { readSettings } from "./settings.ts";
import type { ClientOptions } from "./settings.ts";
import { ThreadHandle } from "./thread-handle.ts";
import { threads } from "./threads.ts";
import type { Threads } from "./threads.ts";
import { ToolDesk } from "./tools/tool-desk.ts";
import type { ClientTools, ClientToolsOptions } from "./tools/tool-desk.ts";

/** Which days of a usage report, both included and `YYYY-MM-DD`; by what it is broken down; whose, for administrators. */
export type UsageFilter = RouteQuery<"GET /api/usage">;

/** A client. Make one for a page or a process, and close it when it is not needed any more. */
export class ThreadholdClient {
  readonly threads: Threads;
  /** The definitions of the deployment, without secrets. */
  readonly definitions: Definitions;
  readonly #requests: Requests;
  readonly #desk: ToolDesk;
  readonly #follows = new Map<string, Follow>();
  readonly #feeds = new Map<string | undefined, FeedFollow>();
  readonly #replays = new Set<Follow>();
  readonly #closing = new AbortController();

  /** Throws for an address that is none. */
  constructor(options: ClientOptions = {}) {
    this.#requests = new Requests(readSettings(options));
    this.#desk = new ToolDesk(this.#requests);
    this.threads = threads(this.#requests, { feed: (userId) => this.#feed(userId), closed: this.#closing.signal });
    this.definitions = definitions(this.#requests);
  }

  /** A handle on a thread, by its id or its record. Opens nothing, and does not ask whether the thread exists. */
  thread(thread: string | Pick<Thread, "id">): ThreadHandle {
    const id = typeof thread === "string" ? thread : thread.id;
    return new ThreadHandle(id, {
      requests: this.#requests,
      threads: this.threads,
      followed: () => this.#follows.get(id),
      follow: (from) => this.#follow(id, from),
      replay: (after, silent) => this.#replay(id, after, silent),
      closed: this.#closing.signal,
    });
  }

  /**
   * Offers functions as the remote tools of these names: calls of threads that this client follows are answered with what they
   * return. The function given back takes them away again.
   */
  tools(tools: ClientTools, options: ClientToolsOptions = {}): () => void {
    return this.#desk.offer(tools, options);
  }

  /** Whether the service answers, its version, and what its last build found. */
  health(options?: RequestOptions): Promise<RouteAnswer<"GET /healthz">> {
    return this.#requests.json("GET /healthz", { ...options });
  }

  /** What the caller's runs used; an administrator is told everybody's, or those of `user_id`. */
  usage(filter: UsageFilter = {}, options?: RequestOptions): Promise<UsageReport> {
    return this.#requests.json("GET /api/usage", { ...options, query: filter });
  }

  /** Any other built-in route, by its name in the contract: `request("GET /api/openapi.json", {})`. */
  request<K extends RouteKey>(key: K, request: RouteRequest<K>): Promise<RouteAnswer<K>> {
    return this.#requests.json(key, request);
  }

  /** One of the project's own routes, with the client's credentials. Any status is an answer; it is sent once. */
  fetch(path: `/${string}`, init: RequestInit = {}): Promise<Response> {
    return this.#requests.fetch(path, init);
  }

  /** Connects every waiting subscription at once, for example after a click on "Try now" or when the server is reachable again. */
  reconnect(): void {
    for (const follow of [...this.#follows.values(), ...this.#replays, ...this.#feeds.values()]) follow.retry();
  }

  /** Closes every subscription, and asks for no list by itself any more; sends that are followed reject, their runs go on. Requests can still be made. */
  close(): void {
    this.#closing.abort();
    this.#desk.close();
    for (const follow of [...this.#follows.values(), ...this.#replays]) follow.close();
    for (const feed of this.#feeds.values()) feed.close();
  }

  #feed(userId: string | undefined): FeedFollow | null {
    const known = this.#feeds.get(userId);
    if (known !== undefined || this.#closing.signal.aborted) return known ?? null;
    const feed = new FeedFollow({ requests: this.#requests, userId, onClose: () => this.#feeds.delete(userId) });
    this.#feeds.set(userId, feed);
    return feed;
  }

  #follow(threadId: string, from: Known | undefined): Follow {
    const known = this.#follows.get(threadId);
    if (known !== undefined) return known;
    this.#refuseClosed();
    const follow = new Follow({
      requests: this.#requests,
      threadId,
      from,
      onClose: () => {
        this.#follows.delete(threadId);
        this.#desk.leave(follow);
      },
    });
    this.#follows.set(threadId, follow);
    this.#desk.attend(follow);
    return follow;
  }

  #replay(threadId: string, after: number, silent: boolean): Follow {
    this.#refuseClosed();
    const replay: Follow = new Follow({
      requests: this.#requests,
      threadId,
      from: { state: { ...emptyView, last_seq: after }, pending: [] },
      silent,
      // Whoever reads events from long ago wants them as they are: what they come to is kept by the thread's own subscription.
      fold: (view, { seq }) => ({ ...view, last_seq: seq }),
      onClose: () => this.#replays.delete(replay),
    });
    this.#replays.add(replay);
    return replay;
  }

  #refuseClosed(): void {
    if (this.#closing.signal.aborted) throw new TypeError("The client was closed; it follows nothing any more.");
  }
}
