// Operations on threads: create, list, search, read, change, delete, export and import.

import type { ThreadHits } from "#contract/search-route.ts";
import type { Thread } from "#contract/thread.ts";

import type { FeedFollow } from "./follow/feed-follow.ts";
import { pageLength, ThreadList } from "./lists/thread-list.ts";
import type { ThreadListOptions } from "./lists/thread-list.ts";
import { fillPage, pageOf, pages } from "./paged-list.ts";
import type { Page, PagePosition, Pages } from "./paged-list.ts";
import type { AgentName } from "./registered.ts";
import type { RouteBody, RouteQuery } from "./route-type.ts";
import type { KeyedOptions, RequestOptions, Requests } from "./send-request.ts";
import type { RequestBody } from "./settings.ts";
import { uploadOf } from "./upload.ts";
import type { ProgressListener } from "./upload.ts";

/** A thread to create. If the project's generated types are loaded, `agent_id` is the name of one of its agents. */
export type NewThread = Omit<RouteBody<"POST /api/threads">, "agent_id"> & { agent_id: AgentName };

/** A change of a thread; at least one field. */
export type ThreadChange = Omit<RouteBody<"PATCH /api/threads/:id">, "agent_id"> & {
  agent_id?: AgentName | undefined;
};

/** Which threads to list. `limit` is the length of a page. */
export type ThreadFilter = RouteQuery<"GET /api/threads">;

/** Which threads to search. `limit` is the number of threads that one page searches: at most 50, the default. */
export type ThreadSearch = Omit<RouteQuery<"GET /api/messages-search">, "q">;

/** Options of an import. `onProgress` receives the number of sent bytes. Whether the file is valid is known only at the end. */
export type ImportOptions = KeyedOptions & { onProgress?: ProgressListener | undefined };

/** Operations on threads. Lists are sorted by newest activity first, or by oldest first with `order`. */
export interface Threads {
  create(thread: NewThread, options?: KeyedOptions): Promise<Thread>;
  /**
   * The caller's threads that match the filter. An awaited list has up to `limit` threads, for which it sends at most 10 requests: a request
   * finds few threads if few of the deployment's threads match. It may then have fewer threads, or none, and a `next_cursor`.
   */
  list(filter?: ThreadFilter, options?: RequestOptions): Pages<Thread>;
  /**
   * Threads that have messages with `text`, each with its newest matching messages. A page contains the threads with matches, those whose
   * older messages are not searched yet (`next_cursor`), and those whose search failed (`error`).
   */
  search(text: string, filter?: ThreadSearch, options?: RequestOptions): Pages<ThreadHits>;
  /** The first page of `list(filter)`, kept current while it has a subscriber. */
  follow(filter?: ThreadFilter, options?: ThreadListOptions): ThreadList;
  get(id: string, options?: RequestOptions): Promise<Thread>;
  patch(id: string, change: ThreadChange, options?: RequestOptions): Promise<Thread>;
  /**
   * Stops the active run and deletes the thread with all its data. If a part cannot be deleted yet, and also not by the repeated requests, it
   * rejects with `unavailable`: the thread is then answered `thread_not_found`, and the server deletes the rest in the background.
   */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** Exports the thread as lines of JSON, with its files if `files` is set. The export is complete only if its last line arrived. */
  export(id: string, options?: RequestOptions & { files?: boolean | undefined }): Promise<ReadableStream<Uint8Array>>;
  /**
   * Creates a thread from an export, with the id in the export. After a network failure the body is sent again, except a stream outside of
   * a web page.
   */
  import(lines: RequestBody, options?: ImportOptions): Promise<Thread>;
}

/** Dependencies of followed lists. */
export interface ListDependencies {
  /** Returns the feed of a user and opens it if needed; null if the client is closed. */
  feed: (userId: string | undefined) => FeedFollow | null;
  /** Aborted when the client is closed. */
  closed: AbortSignal;
}

/** Builds the operations on threads. */
export function threads(requests: Requests, { feed, closed }: ListDependencies): Threads {
  const { newKey } = requests.settings;
  const fetchPage = (filter: ThreadFilter, options: RequestOptions) => (position: PagePosition) =>
    pageOf(requests.json("GET /api/threads", { ...options, query: { ...filter, ...position } }), "threads");
  return {
    create: (body, { idempotencyKey = newKey(), ...options } = {}) =>
      requests.json("POST /api/threads", { ...options, body, key: idempotencyKey }),
    list(filter = {}, options = {}) {
      const page = fetchPage(filter, options);
      return pages(page, async () => (await fillPage(page, filter.limit ?? pageLength))[0]);
    },
    search: (q, filter, options) =>
      pages((position): Promise<Page<ThreadHits>> => {
        const query = { ...filter, q, ...position };
        return pageOf(requests.json("GET /api/messages-search", { ...options, query }), "threads");
      }),
    // A feed does not report child threads, and cannot keep a page after the first one current.
    follow(filter = {}, options = {}) {
      const isCoveredByFeed = filter.parent_id === undefined && filter.cursor === undefined;
      const ports = { requests, fetchPage, closed, feed: () => (isCoveredByFeed ? feed(filter.user_id) : null) };
      return new ThreadList(ports, filter, options);
    },
    get: (id, options) => requests.json("GET /api/threads/:id", { ...options, params: { id } }),
    patch: (id, body, options) => requests.json("PATCH /api/threads/:id", { ...options, params: { id }, body }),
    delete: (id, options) => requests.json("DELETE /api/threads/:id", { ...options, params: { id } }),
    async export(id, { files, signal } = {}) {
      const request = { params: { id }, query: { files }, signal, timeoutMs: null };
      const { body } = await requests.send("GET /api/threads/:id/export", request);
      return body ?? new ReadableStream();
    },
    async import(lines, { idempotencyKey = newKey(), onProgress, signal } = {}) {
      return requests.json("POST /api/threads/import", {
        ...(await uploadOf(lines, onProgress)),
        headers: { "content-type": "application/x-ndjson" },
        key: idempotencyKey,
        signal,
      });
    },
  };
}
