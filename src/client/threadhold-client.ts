// The client of one deployment, with the credentials of one caller. All handles of a thread share one subscription, and all lists
// of an owner share one feed.

import { emptyView } from "#contract/fold.ts";
import type { Thread } from "#contract/thread.ts";
import type { UsageReport } from "#contract/usage-route.ts";

import { definitions } from "./definitions.ts";
import type { Definitions } from "./definitions.ts";
import { FeedFollow } from "./follow/feed-follow.ts";
import { Follow } from "./follow/follow.ts";
import type { FollowState } from "./follow/follow.ts";
import type { RouteAnswer, RouteKey, RouteQuery } from "./route-type.ts";
import { Requests } from "./send-request.ts";
import type { RequestOptions, RouteRequest } from "./send-request.ts";
import { readSettings } from "./settings.ts";
import type { ClientOptions } from "./settings.ts";
import { ThreadHandle } from "./thread-handle.ts";
import { threads } from "./threads.ts";
import type { Threads } from "./threads.ts";
import { ToolDesk } from "./tools/tool-desk.ts";
import type { ClientTools, ClientToolsOptions } from "./tools/tool-desk.ts";

/** The first and the last day of a usage report (`YYYY-MM-DD`), its dimensions and, for administrators, the user. */
export type UsageFilter = RouteQuery<"GET /api/usage">;

/** A client. Create one for a page or a process, and close it when it is no longer needed. */
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

  /** Throws if `url` is not a valid http or https address, or if it contains credentials. */
  constructor(options: ClientOptions = {}) {
    this.#requests = new Requests(readSettings(options));
    this.#desk = new ToolDesk(this.#requests);
    this.threads = threads(this.#requests, { feed: (userId) => this.#feed(userId), closed: this.#closing.signal });
    this.definitions = definitions(this.#requests);
  }

  /** Returns a handle of a thread, by id or record. Sends nothing and does not check whether the thread exists. */
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
   * Registers functions for remote tools by name. Until the returned function is called, calls in threads that this client follows are
   * answered with the functions' return values.
   */
  tools(tools: ClientTools, options: ClientToolsOptions = {}): () => void {
    return this.#desk.offer(tools, options);
  }

  /** The health of the service, its version, and the findings of its last build. */
  health(options?: RequestOptions): Promise<RouteAnswer<"GET /healthz">> {
    return this.#requests.json("GET /healthz", { ...options });
  }

  /** The usage of the caller's runs; for an administrator that of all users, or of `user_id`. */
  usage(filter: UsageFilter = {}, options?: RequestOptions): Promise<UsageReport> {
    return this.#requests.json("GET /api/usage", { ...options, query: filter });
  }

  /** Sends a request to any other built-in route, by its method and path: `request("GET /api/openapi.json", {})`. */
  request<K extends RouteKey>(key: K, request: RouteRequest<K>): Promise<RouteAnswer<K>> {
    return this.#requests.json(key, request);
  }

  /** Sends a request to one of the project's own routes, once and with the client's credentials. Returns the response of any status. */
  fetch(path: `/${string}`, init: RequestInit = {}): Promise<Response> {
    return this.#requests.fetch(path, init);
  }

  /** Connects every waiting subscription at once, for example after a click on "Try now" or when the server is reachable again. */
  reconnect(): void {
    for (const follow of [...this.#follows.values(), ...this.#replays, ...this.#feeds.values()]) follow.retry();
  }

  /**
   * Closes every subscription, and ends the requests that lists send by themselves. A `Sending` that is still followed rejects; its run
   * continues. Requests can still be sent.
   */
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

  #follow(threadId: string, from: FollowState | undefined): Follow {
    const known = this.#follows.get(threadId);
    if (known !== undefined) return known;
    this.#refuseClosed();
    const follow = new Follow({
      requests: this.#requests,
      threadId,
      from,
      onClose: () => {
        this.#follows.delete(threadId);
        this.#desk.detach(follow);
      },
    });
    this.#follows.set(threadId, follow);
    this.#desk.attach(follow);
    return follow;
  }

  #replay(threadId: string, after: number, silent: boolean): Follow {
    this.#refuseClosed();
    const replay: Follow = new Follow({
      requests: this.#requests,
      threadId,
      from: { state: { ...emptyView, last_seq: after }, pending: [] },
      silent,
      // A replay builds no state and only passes its events on. The state is built by the thread's shared subscription.
      fold: (view, { seq }) => ({ ...view, last_seq: seq }),
      onClose: () => this.#replays.delete(replay),
    });
    this.#replays.add(replay);
    return replay;
  }

  #refuseClosed(): void {
    if (this.#closing.signal.aborted) throw new TypeError("The client is closed.");
  }
}
