// A client that opens a request and leaves it, in each of the ways in which a connection can end. It reads only the
// head of the response, so that bytes are on their way to it when it leaves.

import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";

import { timeoutMs, within } from "../../support/http-client/deadline.ts";
import type { RawTarget } from "./raw-request.ts";

/** How a client leaves: it closes the connection (a FIN if it has read everything), resets it, or aborts `fetch`. */
export const waysToLeave = ["close", "reset", "abort"] as const;
export type WayToLeave = (typeof waysToLeave)[number];

/** A request to send. An endless body never ends. */
export interface LeavingRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** The body has no end. */
  endless?: boolean;
}

/** An open request. */
export interface LeavingClient {
  /** Leaves the request. */
  leave: () => void;
  /** Resolves with the status of the response when its head has arrived. */
  status: () => Promise<number>;
}

/** Sends a request and reads only the head of the response. */
export function openAndLeave(target: RawTarget, way: WayToLeave, request: LeavingRequest): LeavingClient {
  return way === "abort" ? byFetch(target, request) : bySocket(target, way, request);
}

function byFetch({ url, headers }: RawTarget, { method, path, body, endless, ...own }: LeavingRequest): LeavingClient {
  const controller = new AbortController();
  const sent = new ReadableStream<Uint8Array>({
    start(stream) {
      stream.enqueue(new TextEncoder().encode(body));
      if (endless !== true) stream.close();
    },
  });
  const response = fetch(`${url}${path}`, {
    method,
    headers: { ...headers, ...own.headers },
    signal: controller.signal,
    ...(body === undefined ? {} : endless === true ? { body: sent, duplex: "half" as const } : { body }),
  });
  response.catch(() => undefined);
  return {
    leave: () => controller.abort(),
    status: async () => (await within(timeoutMs, "the head of an answer", response)).status,
  };
}

function bySocket(
  { url, headers }: RawTarget,
  way: "close" | "reset",
  { method, path, body = "", endless = false, ...own }: LeavingRequest,
): LeavingClient {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  // An error of a connection that the client has left is no failure of the test.
  socket.on("error", () => undefined);
  const length = endless ? 1_000_000_000 : Buffer.byteLength(body);
  const all = { host, ...headers, ...own.headers, ...(body === "" ? {} : { "content-length": String(length) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  return {
    leave() {
      if (way === "reset") socket.resetAndDestroy();
      else socket.destroy();
    },
    status: () => within(timeoutMs, "the head of an answer", statusOf(socket)),
  };
}

async function statusOf(socket: Socket): Promise<number> {
  const [piece] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  return Number(piece.toString("latin1").split(" ")[1]);
}
