// Operations on the lists of a thread: messages, runs, logs and queued inputs.

import type { Branch, CheckedOut } from "#contract/branch-route.ts";
import type { Log } from "#contract/log-entry.ts";
import type { QueuedInput } from "#contract/queue-route.ts";
import type { Run } from "#contract/run.ts";
import type { MessageHit } from "#contract/search-route.ts";
import type { Message } from "#contract/thread-message.ts";

import { pageOf, pages } from "./paged-list.ts";
import type { Page, Pages } from "./paged-list.ts";
import type { RouteAnswer, RouteBody, RouteQuery } from "./route-type.ts";
import type { KeyedOptions, RequestOptions, Requests } from "./send-request.ts";

/** A page of messages. `total` is the number of all messages, or null if the server does not count them for this list. */
export type MessagesPage = Page<Message> & { total: number | null; has_more: boolean };

/** A message to post. */
export type NewMessage = RouteBody<"POST /api/threads/:id/messages">;

/** The response to a posted message: the message, and the run that it starts, joins or is queued for. */
export type Admitted = RouteAnswer<"POST /api/threads/:id/messages">;

/** Options of posting a message. With `wait` the response arrives when the run has ended or waits for a client. */
export type PostOptions = KeyedOptions & { wait?: boolean | undefined };

/** Operations on the messages of a thread. */
export interface Messages {
  post(message: NewMessage, options?: PostOptions): Promise<Admitted>;
  list(query?: RouteQuery<"GET /api/threads/:id/messages">, options?: RequestOptions): Pages<Message, MessagesPage>;
  /** Messages that contain `text`, newest first. A page may be empty even though more pages follow. */
  search(text: string, query?: MessageSearch, options?: RequestOptions): Pages<MessageHit>;
  get(id: string, options?: RequestOptions): Promise<Message>;
  patch(
    id: string,
    change: RouteBody<"PATCH /api/threads/:id/messages/:mid">,
    options?: RequestOptions,
  ): Promise<Message>;
  delete(id: string, options?: RequestOptions): Promise<void>;
}

/** Which messages to search. */
export type MessageSearch = Omit<RouteQuery<"GET /api/threads/:id/messages-search">, "q">;

/** Builds the operations on the messages of the thread `id`. */
export function messages(requests: Requests, id: string): Messages {
  return {
    post: (body, { idempotencyKey = requests.settings.newKey(), wait, signal } = {}) =>
      requests.json("POST /api/threads/:id/messages", {
        params: { id },
        query: { wait },
        body,
        key: idempotencyKey,
        signal,
        timeoutMs: wait === true ? null : undefined,
      }),
    list: (query, options) =>
      pages(async (position): Promise<MessagesPage> => {
        const request = { ...options, params: { id }, query: { ...query, ...position } };
        const { messages: items, ...rest } = await requests.json("GET /api/threads/:id/messages", request);
        return { items, ...rest };
      }),
    search: (q, query, options) =>
      pages((position): Promise<Page<MessageHit>> => {
        const request = { ...options, params: { id }, query: { ...query, q, ...position } };
        return pageOf(requests.json("GET /api/threads/:id/messages-search", request), "hits");
      }),
    get: (mid, options) => requests.json("GET /api/threads/:id/messages/:mid", { ...options, params: { id, mid } }),
    patch: (mid, body, options) =>
      requests.json("PATCH /api/threads/:id/messages/:mid", { ...options, params: { id, mid }, body }),
    delete: (mid, options) =>
      requests.json("DELETE /api/threads/:id/messages/:mid", { ...options, params: { id, mid } }),
  };
}

/** Operations on the runs of a thread, including queued ones. */
export interface Runs {
  /** Starts a run without a message. After a stop it resumes the queue; after a limit was reached it can raise the limit. */
  post(run?: RouteBody<"POST /api/threads/:id/runs">, options?: PostOptions): Promise<Run | null>;
  list(query?: RouteQuery<"GET /api/threads/:id/runs">, options?: RequestOptions): Pages<Run>;
  get(id: string, options?: RequestOptions): Promise<Run>;
}

/** Builds the operations on the runs of the thread `id`. */
export function runs(requests: Requests, id: string): Runs {
  return {
    async post(body = {}, { idempotencyKey = requests.settings.newKey(), wait, signal } = {}) {
      const answer = await requests.json("POST /api/threads/:id/runs", {
        params: { id },
        query: { wait },
        body,
        key: idempotencyKey,
        signal,
        timeoutMs: wait === true ? null : undefined,
      });
      return answer.run;
    },
    list: (query, options) =>
      pages((position): Promise<Page<Run>> => {
        const request = { ...options, params: { id }, query: { ...query, ...position } };
        return pageOf(requests.json("GET /api/threads/:id/runs", request), "runs");
      }),
    get: (rid, options) => requests.json("GET /api/threads/:id/runs/:rid", { ...options, params: { id, rid } }),
  };
}

/** The branches of a thread. */
export interface Branches {
  /** All branches, in the order in which they were made. */
  list(query?: RouteQuery<"GET /api/threads/:id/tree">, options?: RequestOptions): Pages<Branch>;
  /** Changes the thread to a branch, or to a new one that ends before the message `before`. Nothing is deleted. */
  checkout(target: RouteBody<"POST /api/threads/:id/checkout">, options?: RequestOptions): Promise<CheckedOut>;
}

/** Builds the operations on the branches of the thread `id`. */
export function branches(requests: Requests, id: string): Branches {
  return {
    list: (query, options) =>
      pages((position): Promise<Page<Branch>> => {
        const request = { ...options, params: { id }, query: { ...query, ...position } };
        return pageOf(requests.json("GET /api/threads/:id/tree", request), "branches");
      }),
    checkout: (body, options) => requests.json("POST /api/threads/:id/checkout", { ...options, params: { id }, body }),
  };
}

/** The logs of a thread: one entry for each model attempt (with its cost), tool call, hook, error and recovery. */
export interface Logs {
  list(query?: RouteQuery<"GET /api/threads/:id/logs">, options?: RequestOptions): Pages<Log>;
  get(id: string, options?: RequestOptions): Promise<Log>;
}

/** Builds the operations on the logs of the thread `id`. */
export function logs(requests: Requests, id: string): Logs {
  return {
    list: (query, options) =>
      pages((position): Promise<Page<Log>> => {
        const request = { ...options, params: { id }, query: { ...query, ...position } };
        return pageOf(requests.json("GET /api/threads/:id/logs", request), "logs");
      }),
    get: (lid, options) => requests.json("GET /api/threads/:id/logs/:lid", { ...options, params: { id, lid } }),
  };
}

/** The queued inputs of a thread, in the order in which they will be processed. */
export interface Queue {
  list(query?: RouteQuery<"GET /api/threads/:id/queue">, options?: RequestOptions): Pages<QueuedInput>;
  /** Throws `conflict` if the input is no longer queued. */
  patch(
    id: string,
    change: RouteBody<"PATCH /api/threads/:id/queue/:qid">,
    options?: RequestOptions,
  ): Promise<QueuedInput>;
  delete(id: string, options?: RequestOptions): Promise<void>;
}

/** Builds the operations on the queue of the thread `id`. */
export function queue(requests: Requests, id: string): Queue {
  return {
    list: (query, options) =>
      pages((position): Promise<Page<QueuedInput>> => {
        const request = { ...options, params: { id }, query: { ...query, ...position } };
        return pageOf(requests.json("GET /api/threads/:id/queue", request), "queue");
      }),
    patch: (qid, body, options) =>
      requests.json("PATCH /api/threads/:id/queue/:qid", { ...options, params: { id, qid }, body }),
    delete: (qid, options) => requests.json("DELETE /api/threads/:id/queue/:qid", { ...options, params: { id, qid } }),
  };
}
