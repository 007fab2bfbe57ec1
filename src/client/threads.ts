// The threads of the caller: made, listed, read, changed, deleted, taken out and brought in.

import type { AgentName } from "threadhold";

import type { Thread } from "#contract/thread.ts";

import { pages } from "./page.ts";
import type { Page, Pages } from "./page.ts";
import type { KeyedOptions, RequestOptions, Requests } from "./request.ts";
import type { RouteBody, RouteQuery } from "./route-type.ts";
import type { RequestBody } from "./settings.ts";
import { sendable } from "./upload.ts";

/** What a thread is made of. `agent_id` is one of the project's agents where its generated names are part of the types. */
export type NewThread = Omit<RouteBody<"POST /api/threads">, "agent_id"> & { agent_id: AgentName };

/** What of a thread may be changed; at least one field. */
export type ThreadChange = Omit<RouteBody<"PATCH /api/threads/:id">, "agent_id"> & {
  agent_id?: AgentName | undefined;
};

/** Which threads to list. `limit` is the length of a page. */
export type ThreadFilter = RouteQuery<"GET /api/threads">;

/** Threads, newest activity first. */
export interface Threads {
  create(thread: NewThread, options?: KeyedOptions): Promise<Thread>;
  list(filter?: ThreadFilter, options?: RequestOptions): Pages<Thread>;
  get(id: string, options?: RequestOptions): Promise<Thread>;
  patch(id: string, change: ThreadChange, options?: RequestOptions): Promise<Thread>;
  /** Stops its run and deletes all it holds. */
  delete(id: string, options?: RequestOptions): Promise<void>;
  /** The whole thread as lines of JSON, with `files` its files too. Whole only when its last line came. */
  export(id: string, options?: RequestOptions & { files?: boolean | undefined }): Promise<ReadableStream<Uint8Array>>;
  /** Makes a thread of an export, under the id it had. A stream is sent once; other bodies are sent again after a cut. */
  import(lines: RequestBody, options?: KeyedOptions): Promise<Thread>;
}

/** The routes. */
export function threads(requests: Requests): Threads {
  const { newKey } = requests.settings;
  return {
    create: (body, { idempotencyKey = newKey(), ...options } = {}) =>
      requests.json("POST /api/threads", { ...options, body, key: idempotencyKey }),
    list: (filter, options) =>
      pages(async (cursor): Promise<Page<Thread>> => {
        const query = cursor === undefined ? filter : { ...filter, cursor };
        const answer = await requests.json("GET /api/threads", { ...options, query });
        return { items: answer.threads, next_cursor: answer.next_cursor };
      }),
    get: (id, options) => requests.json("GET /api/threads/:id", { ...options, params: { id } }),
    patch: (id, body, options) => requests.json("PATCH /api/threads/:id", { ...options, params: { id }, body }),
    delete: (id, options) => requests.json("DELETE /api/threads/:id", { ...options, params: { id } }),
    async export(id, { files, signal } = {}) {
      const request = { params: { id }, query: { files }, signal, timeoutMs: null };
      const { body } = await requests.send("GET /api/threads/:id/export", request);
      return body ?? new ReadableStream();
    },
    async import(lines, { idempotencyKey = newKey(), signal } = {}) {
      const body = await sendable(lines);
      return requests.json("POST /api/threads/import", {
        raw: () => body,
        headers: { "content-type": "application/x-ndjson" },
        key: idempotencyKey,
        repeatable: !(body instanceof ReadableStream),
        timeoutMs: null,
        signal,
      });
    },
  };
}
