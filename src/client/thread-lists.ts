// What a thread keeps in lists: messages, runs, logs, and the inputs that wait.

import type { Log } from "#contract/log.ts";
import type { Message } from "#contract/message.ts";
import type { QueuedInput } from "#contract/queue-route.ts";
import type { Run } from "#contract/run.ts";
import type { MessageHit } from "#contract/search-route.ts";

import { pages } from "./page.ts";
import type { Page, Pages } from "./page.ts";
import type { KeyedOptions, RequestOptions, Requests } from "./request.ts";
import type { RouteAnswer, RouteBody, RouteQuery } from "./route-type.ts";

/** A page of messages, with how many there are in all where a kept counter knows. */
export type MessagesPage = Page<Message> & { total: number | null; has_more: boolean };

/** A message as it is posted. */
export type NewMessage = RouteBody<"POST /api/threads/:id/messages">;

/** What a posted message answers: the message, and the run it begins, joins or waits for. */
export type Admitted = RouteAnswer<"POST /api/threads/:id/messages">;

/** How a message or a run is posted; with `wait` the answer comes when the run rests, however long that takes. */
export type PostOptions = KeyedOptions & { wait?: boolean | undefined };

/** The messages of a thread. */
export interface Messages {
  post(message: NewMessage, options?: PostOptions): Promise<Admitted>;
  list(query?: RouteQuery<"GET /api/threads/:id/messages">, options?: RequestOptions): Pages<Message, MessagesPage>;
  /** Messages whose text has `text`, newest first. A page may be empty before the last one. */
  search(text: string, query?: MessageSearch, options?: RequestOptions): Pages<MessageHit>;
  get(id: string, options?: RequestOptions): Promise<Message>;
  patch(
    id: string,
    change: RouteBody<"PATCH /api/threads/:id/messages/:mid">,
    options?: RequestOptions,
  ): Promise<Message>;
  delete(id: string, options?: RequestOptions): Promise<void>;
}

/** Which messages are searched. */
export type MessageSearch = Omit<RouteQuery<"GET /api/threads/:id/messages-search">, "q">;

/** The messages. */
export function messages(requests: Requests, id: string): Messages {
  return {
    post: (body, { idempotencyKey = requests.settings.newKey(), wait, signal } = {}) =>
      requests.json("POST /api/threads/:id/messages", {
        params: { id },
        query: { wait },
        body,
        key: idempotencyKey,
        signal,
        ...(wait === true ? { timeoutMs: null } : {}),
      }),
    list: (query, options) =>
      pages(async (cursor): Promise<MessagesPage> => {
        const request = { ...options, params: { id }, query: cursor === undefined ? query : { ...query, cursor } };
        const { messages: items, ...rest } = await requests.json("GET /api/threads/:id/messages", request);
        return { items, ...rest };
      }),
    search: (q, query, options) =>
      pages(async (cursor): Promise<Page<MessageHit>> => {
        const request = {
          ...options,
          params: { id },
          query: { ...query, q, ...(cursor === undefined ? {} : { cursor }) },
        };
        const { hits: items, next_cursor } = await requests.json("GET /api/threads/:id/messages-search", request);
        return { items, next_cursor };
      }),
    get: (mid, options) => requests.json("GET /api/threads/:id/messages/:mid", { ...options, params: { id, mid } }),
    patch: (mid, body, options) =>
      requests.json("PATCH /api/threads/:id/messages/:mid", { ...options, params: { id, mid }, body }),
    delete: (mid, options) =>
      requests.json("DELETE /api/threads/:id/messages/:mid", { ...options, params: { id, mid } }),
  };
}

/** The runs of a thread, queued ones included. */
export interface Runs {
  /** A run without a message; after a stop it lets the queue go on, at a limit it raises it. */
  post(run?: RouteBody<"POST /api/threads/:id/runs">, options?: PostOptions): Promise<Run | null>;
  list(query?: RouteQuery<"GET /api/threads/:id/runs">, options?: RequestOptions): Pages<Run>;
  get(id: string, options?: RequestOptions): Promise<Run>;
}

/** The runs. */
export function runs(requests: Requests, id: string): Runs {
  return {
    async post(body = {}, { idempotencyKey = requests.settings.newKey(), wait, signal } = {}) {
      const answer = await requests.json("POST /api/threads/:id/runs", {
        params: { id },
        query: { wait },
        body,
        key: idempotencyKey,
        signal,
        ...(wait === true ? { timeoutMs: null } : {}),
      });
      return answer.run;
    },
    list: (query, options) =>
      pages(async (cursor): Promise<Page<Run>> => {
        const request = { ...options, params: { id }, query: cursor === undefined ? query : { ...query, cursor } };
        const answer = await requests.json("GET /api/threads/:id/runs", request);
        return { items: answer.runs, next_cursor: answer.next_cursor };
      }),
    get: (rid, options) => requests.json("GET /api/threads/:id/runs/:rid", { ...options, params: { id, rid } }),
  };
}

/** What the loop did, and what it cost: a model attempt a row, its tool calls under it. */
export interface Logs {
  list(query?: RouteQuery<"GET /api/threads/:id/logs">, options?: RequestOptions): Pages<Log>;
  get(id: string, options?: RequestOptions): Promise<Log>;
}

/** The logs. */
export function logs(requests: Requests, id: string): Logs {
  return {
    list: (query, options) =>
      pages(async (cursor): Promise<Page<Log>> => {
        const request = { ...options, params: { id }, query: cursor === undefined ? query : { ...query, cursor } };
        const answer = await requests.json("GET /api/threads/:id/logs", request);
        return { items: answer.logs, next_cursor: answer.next_cursor };
      }),
    get: (lid, options) => requests.json("GET /api/threads/:id/logs/:lid", { ...options, params: { id, lid } }),
  };
}

/** The inputs that wait, in the order in which they will be taken in. */
export interface Queue {
  list(query?: RouteQuery<"GET /api/threads/:id/queue">, options?: RequestOptions): Pages<QueuedInput>;
  /** `conflict` once the input was taken in. */
  patch(
    id: string,
    change: RouteBody<"PATCH /api/threads/:id/queue/:qid">,
    options?: RequestOptions,
  ): Promise<QueuedInput>;
  delete(id: string, options?: RequestOptions): Promise<void>;
}

/** The queue. */
export function queue(requests: Requests, id: string): Queue {
  return {
    list: (query, options) =>
      pages(async (cursor): Promise<Page<QueuedInput>> => {
        const request = { ...options, params: { id }, query: cursor === undefined ? query : { ...query, cursor } };
        const answer = await requests.json("GET /api/threads/:id/queue", request);
        return { items: answer.queue, next_cursor: answer.next_cursor };
      }),
    patch: (qid, body, options) =>
      requests.json("PATCH /api/threads/:id/queue/:qid", { ...options, params: { id, qid }, body }),
    delete: (qid, options) => requests.json("DELETE /api/threads/:id/queue/:qid", { ...options, params: { id, qid } }),
  };
}
