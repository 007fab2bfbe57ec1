// The threads of the caller: made, listed, read, changed, deleted, taken out and brought in.

import type { AgentName } from "threadhold";

import type { ThreadHits } from "#contract/search-route.ts";
import type { Thread } from "#contract/thread.ts";

import type { FeedFollow } from "./follow/feed-follow.ts";
import { ThreadList } from "./lists/thread-list.ts";
import type { ThreadListOptions } from "./lists/thread-list.ts";
import { pages } from "./page.ts";
import type { Page, Pages } from "./page.ts";
import type { KeyedOptions, RequestOptions, Requests } from "./request.ts";
import type { RouteBody, RouteQuery } from "./route-type.ts";
import type { RequestBody } from "./settings.ts";
import { counted, pageUpload, sendable } from "./upload.ts";
import type { ProgressListener } from "./upload.ts";

/** What a thread is made of. `agent_id` is one of the project's agents where its generated names are part of the types. */
export type NewThread = Omit<RouteBody<"POST /api/threads">, "agent_id"> & { agent_id: AgentName };

/** What of a thread may be changed; at least one field. */
export type ThreadChange = Omit<RouteBody<"PATCH /api/threads/:id">, "agent_id"> & {
  agent_id?: AgentName | undefined;
};

/** Which threads to list. `limit` is the length of a page. */
export type ThreadFilter = RouteQuery<"GET /api/threads">;

/** Which threads are searched. `limit` is the number of threads that a page asks. */
export type ThreadSearch = Omit<RouteQuery<"GET /api/messages-search">, "q">;

/** How a thread is brought in. `onProgress` is told of the bytes that were sent; what they are worth is known at the end. */
export type ImportOptions = KeyedOptions & { onProgress?: ProgressListener | undefined };

/** Threads, newest activity first. */
export interface Threads {
  create(thread: NewThread, options?: KeyedOptions): Promise<Thread>;
  list(filter?: ThreadFilter, options?: RequestOptions): Pages<Thread>;
  /**
   * Threads that have messages with `text`, each with its newest hits. A page asks 50 threads and holds those with hits, those whose
   * older messages are not searched yet (`next_cursor`), and those that failed (`error`).
   */
  search(text: string, filter?: ThreadSearch, options?: RequestOptions): Pages<ThreadHits>;
  /** The first page of such a list, kept as it should be for as long as somebody is subscribed to it. */
  follow(filter?: ThreadFilter, options?: ThreadListOptions): ThreadList;
  get(id: string, options?: RequestOptions): Promise<Thread>;
  patch(id: string, change: ThreadChange, options?: RequestOptions): Promise<Thread>;
  /** Stops its run and deletes all it holds. */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** The whole thread as lines of JSON, with `files` its files too. Whole only when its last line came. */
  export(id: string, options?: RequestOptions & { files?: boolean | undefined }): Promise<ReadableStream<Uint8Array>>;
  /** Makes a thread of an export, under the id it had. A stream is sent once; other bodies are sent again after a cut. */
  import(lines: RequestBody, options?: ImportOptions): Promise<Thread>;
}

/** What lists are kept by. */
export interface KeptBy {
  /** Opens the feed of a user, or finds it open. */
  feed: (userId: string | undefined) => FeedFollow | null;
  /** Fires when the client is closed. */
  closed: AbortSignal;
}

/** The routes. */
export function threads(requests: Requests, { feed, closed }: KeptBy): Threads {
  const { newKey } = requests.settings;
  const list: Threads["list"] = (filter, options) =>
    pages(async (cursor): Promise<Page<Thread>> => {
      const query = cursor === undefined ? filter : { ...filter, cursor };
      const answer = await requests.json("GET /api/threads", { ...options, query });
      return { items: answer.threads, next_cursor: answer.next_cursor };
    });
  return {
    create: (body, { idempotencyKey = newKey(), ...options } = {}) =>
      requests.json("POST /api/threads", { ...options, body, key: idempotencyKey }),
    list,
    search: (q, filter, options) =>
      pages(async (cursor): Promise<Page<ThreadHits>> => {
        const query = { ...filter, q, ...(cursor === undefined ? {} : { cursor }) };
        const answer = await requests.json("GET /api/messages-search", { ...options, query });
        return { items: answer.threads, next_cursor: answer.next_cursor };
      }),
    // A feed tells of no thread that answers another one's call, and of none beyond the first page.
    follow(filter = {}, options = {}) {
      const isTold = filter.parent_id === undefined && filter.cursor === undefined;
      const ports = { requests, list, closed, feed: () => (isTold ? feed(filter.user_id) : null) };
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
      const body = await sendable(lines);
      const isStream = body instanceof ReadableStream;
      const inPage = onProgress === undefined || isStream ? null : pageUpload(onProgress);
      return requests.json("POST /api/threads/import", {
        raw: () => (onProgress === undefined || inPage !== null ? body : counted(body, onProgress)),
        headers: { "content-type": "application/x-ndjson" },
        key: idempotencyKey,
        repeatable: !isStream,
        timeoutMs: null,
        signal,
        fetch: inPage ?? undefined,
      });
    },
  };
}
