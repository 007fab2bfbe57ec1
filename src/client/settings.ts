// The options of a client and their defaults from the platform: fetch, WebSocket, timers, random numbers, and the page's presence. Each can
// be replaced, so that a client runs in a browser, in Node and in a Worker.

import { platformTimers } from "#lib/timers.ts";
import type { Timers } from "#lib/timers.ts";

import { platformPresence } from "./presence.ts";
import type { Presence } from "./presence.ts";

/** The part of a WebSocket that a client uses. The classes of browsers, Workers, Node and the package `ws` provide it. */
export interface ClientSocket {
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { code: number; reason: string }) => void): void;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

/** A body that a request can send unchanged. */
export type RequestBody = ReadableStream<Uint8Array> | Blob | ArrayBuffer | ArrayBufferView | string;

/** A WebSocket class. */
export type SocketConstructor = new (url: string) => ClientSocket;

/** The part of `fetch` that a client uses. */
export type ClientFetch = (url: string, init: RequestInit) => Promise<Response>;

/** A token, or a function that returns one for each request, for tokens that expire. */
export type Token = string | (() => string | Promise<string>);

/** Options of a client. */
export interface ClientOptions {
  /** Address of the Worker, such as `https://agents.example.com`, with any path before `/api`. Default in a page: its origin. */
  url?: string | undefined;
  /** Sent as `Authorization: Bearer …`. It is never part of an address: WebSockets are opened with single-use tickets. */
  token?: Token | undefined;
  fetch?: ClientFetch | undefined;
  /** The WebSocket class; null to use SSE only. Default: the platform's. Node 20 has none, so SSE is used there. */
  WebSocket?: SocketConstructor | null | undefined;
  /** Attempts after the first, for requests that may be retried. Default 3. */
  retries?: number | undefined;
  /**
   * Milliseconds to wait for a response to begin. Default 30,000. Requests that wait for a run or a tool, uploads, imports and exports have
   * no limit. The limit of an event stream is 15,000.
   */
  timeoutMs?: number | undefined;
  timers?: Timers | undefined;
  /** Returns a number from 0 to below 1, for the jitter of delays. */
  random?: (() => number) | undefined;
  /** Creates idempotency keys. */
  newKey?: (() => string) | undefined;
  presence?: Presence | undefined;
}

/** The options with all defaults filled in. */
export interface Settings {
  /** The address without a slash at the end. */
  url: string;
  token: () => Promise<string | null>;
  fetch: ClientFetch;
  socket: SocketConstructor | null;
  retries: number;
  timeoutMs: number;
  timers: Timers;
  random: () => number;
  newKey: () => string;
  presence: Presence;
}

/** Fills in the defaults. Throws if `url` is not a valid http or https address, or if it contains credentials. */
export function readSettings(options: ClientOptions): Settings {
  const { token } = options;
  return {
    url: baseOf(options.url),
    token: async () => (token === undefined ? null : checkedToken(typeof token === "string" ? token : await token())),
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    socket: options.WebSocket === undefined ? platformSocket() : options.WebSocket,
    retries: options.retries ?? 3,
    timeoutMs: options.timeoutMs ?? 30_000,
    timers: options.timers ?? platformTimers,
    random: options.random ?? Math.random,
    newKey: options.newKey ?? randomKey,
    presence: options.presence ?? platformPresence(),
  };
}

function baseOf(url: string | undefined): string {
  const text = url ?? (globalThis as { location?: { origin?: string } }).location?.origin;
  const parsed = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError("`url` has to be the http or https address of the Worker.");
  }
  if (parsed.username !== "" || parsed.password !== "") {
    throw new TypeError("`url` has credentials; use `token`.");
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}`;
}

/** Checks the token before it is sent, because the platform's error about an invalid header would contain it. */
function checkedToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new TypeError("`token` is empty or invalid.");
}

function platformSocket(): SocketConstructor | null {
  return (globalThis as { WebSocket?: SocketConstructor }).WebSocket ?? null;
}

/** Creates a random key. `crypto.randomUUID` is not available in pages loaded over plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
