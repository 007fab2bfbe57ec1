// A client of the API for tests: raw requests and responses, and typed shorthands whose responses are checked against
// the contract's schemas.

import { z } from "zod";

import { logSchema } from "#contract/log-entry.ts";
import type { Log } from "#contract/log-entry.ts";
import { admittedMessageSchema } from "#contract/message-route.ts";
import { runSchema } from "#contract/run.ts";
import type { Run } from "#contract/run.ts";
import { messageSchema } from "#contract/thread-message.ts";
import type { Message } from "#contract/thread-message.ts";
import { threadSchema } from "#contract/thread.ts";
import type { Thread } from "#contract/thread.ts";

import { timeoutMs } from "./deadline.ts";
import type { RecordedSubscription } from "./feed.ts";
import { socketFeed } from "./socket-feed.ts";
import { sseFeed } from "./sse-feed.ts";

/** The body and headers of a request. `json` is sent as JSON; `body` is sent unchanged. */
export interface CallOptions {
  json?: unknown;
  body?: string | Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
}

/** A response that was read to its end. `body` is its parsed JSON; undefined if it is no JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

/** The response to an admitted message. */
export interface Admitted {
  message: Message;
  run: Run;
}

const failure = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** One caller of one server. */
export class ApiClient {
  readonly url: string;
  readonly headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.url = url;
    this.headers = headers;
  }

  /** Sends a request. Any status is a valid response. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      ...this.#request(method, options),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: jsonOf(text) };
  }

  /** Returns the body of a successful response. Throws for any other status. */
  async ask<S extends z.ZodType>(schema: S, method: string, path: string, options?: CallOptions): Promise<z.output<S>> {
    const answer = await this.call(method, path, options);
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${String(answer.status)}: ${answer.text}`);
    return schema.parse(answer.body);
  }

  createThread(agent = "assistant", more: object = {}): Promise<Thread> {
    return this.ask(threadSchema, "POST", "/api/threads", { json: { agent_id: agent, ...more } });
  }

  thread(id: string): Promise<Thread> {
    return this.ask(threadSchema, "GET", `/api/threads/${id}`);
  }

  /** Posts a message without waiting for its run. */
  async post(id: string, content: string, more: object = {}): Promise<Admitted> {
    return admitted(await this.#postMessage(`/api/threads/${id}/messages`, { content, ...more }));
  }

  /** Posts a message and waits until its run ends or waits. */
  async say(id: string, content: string, more: object = {}): Promise<Admitted> {
    return admitted(await this.#postMessage(`/api/threads/${id}/messages?wait=true`, { content, ...more }));
  }

  /** Posts a message and reads its run's events. */
  async sayForEvents(id: string, content: string, more: object = {}): Promise<RecordedSubscription> {
    const headers = { accept: "text/event-stream" };
    return this.stream("POST", `/api/threads/${id}/messages`, { json: { content, ...more }, headers });
  }

  async messages(id: string, query = ""): Promise<Message[]> {
    const page = z.object({ messages: z.array(messageSchema) });
    return (await this.ask(page, "GET", `/api/threads/${id}/messages?limit=1000${query}`)).messages;
  }

  async runs(id: string): Promise<Run[]> {
    const page = z.object({ runs: z.array(runSchema) });
    return (await this.ask(page, "GET", `/api/threads/${id}/runs?order=asc`)).runs;
  }

  async logs(id: string, query = ""): Promise<Log[]> {
    const page = z.object({ logs: z.array(logSchema) });
    return (await this.ask(page, "GET", `/api/threads/${id}/logs?limit=1000${query}`)).logs;
  }

  /** Follows a thread over SSE. */
  events(id: string, query = "after=0", headers: Record<string, string> = {}): Promise<RecordedSubscription> {
    return this.stream("GET", `/api/threads/${id}/events?${query}`, { headers });
  }

  /** Follows a thread over a WebSocket. */
  socket(id: string, query = "after=0"): Promise<RecordedSubscription> {
    return socketFeed(`${this.url}/api/threads/${id}/stream?${query}`, this.headers);
  }

  /** Reads a response as server-sent events. Throws if it is something else. */
  async stream(method: string, path: string, options: CallOptions = {}): Promise<RecordedSubscription> {
    const leave = new AbortController();
    const response = await fetch(`${this.url}${path}`, { ...this.#request(method, options), signal: leave.signal });
    const type = response.headers.get("content-type") ?? "";
    if (response.status !== 200 || !type.startsWith("text/event-stream")) {
      throw new Error(`${method} ${path} answered ${String(response.status)} ${type}: ${await response.text()}`);
    }
    return sseFeed(response, leave);
  }

  #postMessage(path: string, json: object) {
    return this.ask(admittedMessageSchema, "POST", path, { json });
  }

  #request(method: string, { json, body, headers }: CallOptions): RequestInit {
    const all: Record<string, string> = { ...this.headers };
    if (json !== undefined) all["content-type"] = "application/json";
    const sent = json === undefined ? body : JSON.stringify(json);
    return { method, headers: { ...all, ...headers }, ...(sent === undefined ? {} : { body: sent }) };
  }
}

/** The code of an error response. Throws if the response does not have the contract's form. */
export function codeOf({ body }: Answer): string {
  return failure.parse(body).error.code;
}

function admitted({ message, run }: z.output<typeof admittedMessageSchema>): Admitted {
  if (message === null || run === null) throw new Error("The message was admitted without a run");
  return { message, run };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
