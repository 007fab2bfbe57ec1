// What a client is made with, and what it takes from its platform where nothing was given: fetch, sockets, time, chance, and
// in a browser whether it is online and seen. All can be passed in, so a client runs in a browser, in Node and in a Worker.

import { platformTimers } from "#lib/timers.ts";
import type { Timers } from "#lib/timers.ts";

import { platformPresence } from "./presence.ts";
import type { Presence } from "./presence.ts";

/** The part of a WebSocket that a client uses. Browsers', Workers', Node's and that of the package `ws` have it. */
export interface ClientSocket {
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { code: number; reason: string }) => void): void;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

/** What a request may carry as it is. */
export type RequestBody = ReadableStream<Uint8Array> | Blob | ArrayBuffer | ArrayBufferView | string;

/** Opens a socket. */
export type SocketConstructor = new (url: string) => ClientSocket;

/** What opens requests; the platform's `fetch` is one. */
export type ClientFetch = (url: string, init: RequestInit) => Promise<Response>;

/** A token, or what gives one when it is asked for, as for JWTs that expire. */
export type Token = string | (() => string | Promise<string>);

/** How a client is made. */
export interface ClientOptions {
  /** Where the Worker is: `https://agents.example.com`, perhaps with a path before `/api`. In a page its own origin. */
  url?: string | undefined;
  /** Sent as `Authorization: Bearer …`. Never part of an address: sockets are opened with single-use tickets. */
  token?: Token | undefined;
  fetch?: ClientFetch | undefined;
  /** Opens sockets; null to follow over SSE alone. The platform's by default; Node 20 has none, and SSE is used there. */
  WebSocket?: SocketConstructor | null | undefined;
  /** Tries after the first of a request that may safely be sent again; 3 by default. */
  retries?: number | undefined;
  /** Milliseconds to wait for an answer to begin, 30,000 by default; waits for runs, streams and uploads have no end. */
  timeoutMs?: number | undefined;
  timers?: Timers | undefined;
  /** From 0 to below 1, for the jitter of waits. */
  random?: (() => number) | undefined;
  /** Makes idempotency keys. */
  newKey?: (() => string) | undefined;
  presence?: Presence | undefined;
}

/** The same with nothing left open. */
export interface Settings {
  /** Without a slash at its end. */
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

/** Fills in the platform's. Throws for an address that is none. */
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

function baseOf(given: string | undefined): string {
  const text = given ?? (globalThis as { location?: { origin?: string } }).location?.origin;
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("A client needs `url`, the http or https address of the Worker.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new TypeError("Credentials in `url` would be sent and logged with every address; use `token`.");
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/** The platform's own complaint about a header would quote the token. */
function checkedToken(token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new TypeError("The token is empty or has characters that no header can carry.");
}

function platformSocket(): SocketConstructor | null {
  const { WebSocket: found } = globalThis as { WebSocket?: unknown };
  return typeof found === "function" ? (found as SocketConstructor) : null;
}

/** `crypto.randomUUID` is missing from pages that came over plain http. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
