// Follows over a WebSocket: opened with a ticket where there is a token, acknowledged as the protocol asks, and asked for a sign
// of life when it falls silent.

import { createAcknowledger } from "#contract/acknowledger.ts";
import type { Acknowledger } from "#contract/acknowledger.ts";
import type { ErrorCode } from "#contract/error.ts";
import { expiredCloseCode } from "#contract/subscription.ts";

import type { QueryValue } from "../address.ts";
import { ThreadholdClientError, ThreadholdNetworkError } from "../client-error.ts";
import type { ClientSocket, SocketConstructor } from "../settings.ts";
import { openTimeoutMs, readEvent, tellError } from "./carrier.ts";
import type { Carrying, OpenCarrier, Sink, Target, Told } from "./carrier.ts";

/** Milliseconds of silence before the other side is asked whether it is there. */
const silenceMs = 25_000;

/** Milliseconds that it has to answer. */
const answerMs = 10_000;

/** Codes of the contract by the code that a socket is closed with. */
const refusals: Readonly<Record<number, ErrorCode>> = {
  4401: "unauthorized",
  4403: "forbidden",
  4404: "thread_not_found",
  4429: "rate_limited",
};

/** What opens it with sockets of this kind. */
export function socketCarrier(Socket: SocketConstructor): OpenCarrier {
  return (target, sink) => {
    const carrier = new SocketCarrier(target, sink);
    void carrier.open(Socket);
    return carrier;
  };
}

class SocketCarrier implements Carrying {
  readonly #target: Target;
  readonly #sink: Sink;
  readonly #leave = new AbortController();
  #socket: ClientSocket | null = null;
  #callOff = (): void => undefined;
  readonly #acknowledger: Acknowledger;
  #open = true;
  #opened = false;

  constructor(target: Target, sink: Sink) {
    this.#target = target;
    this.#sink = sink;
    const { timers } = target.requests.settings;
    this.#acknowledger = createAcknowledger(timers, (seq) => this.#send(JSON.stringify({ type: "ack", seq })));
  }

  async open(Socket: SocketConstructor): Promise<void> {
    this.#within(openTimeoutMs, "The socket did not open in time.");
    try {
      const url = await this.#url();
      if (!this.#open) return;
      const socket = new Socket(url);
      this.#socket = socket;
      socket.addEventListener("open", () => {
        if (!this.#open) return;
        this.#opened = true;
        this.#heard();
        this.#sink.opened();
      });
      socket.addEventListener("message", ({ data }) => this.#take(data));
      // What went wrong is told by the close that follows, as far as a browser tells it at all.
      socket.addEventListener("error", () => undefined);
      socket.addEventListener("close", ({ code, reason }) => this.#fail(errorOfClose(code, reason)));
    } catch (thrown) {
      this.#fail(isAnswer(thrown) ? thrown : new ThreadholdNetworkError("No socket could be made.", { cause: thrown }));
    }
  }

  close(): void {
    this.#open = false;
    this.#callOff();
    this.#acknowledger.stop();
    this.#leave.abort();
    this.#socket?.close(1000);
  }

  check(): void {
    if (!this.#opened || !this.#open) return;
    this.#send("ping");
    this.#within(answerMs, "The socket fell silent.");
  }

  /** The address, with a ticket where there is a token: an address is logged by whatever it passes. */
  async #url(): Promise<string> {
    const { requests, stream, after } = this.#target;
    const { socket, params } = stream;
    const query: Record<string, QueryValue> = { after, ...stream.query };
    if ((await requests.settings.token()) !== null) {
      const address = requests.address(socket, { params });
      const path = address.slice(requests.settings.url.length);
      const request = { body: { path }, retries: 0, timeoutMs: openTimeoutMs, signal: this.#leave.signal };
      query["ticket"] = (await requests.json("POST /api/tickets", request)).ticket;
    }
    return requests.address(socket, { params, query }).replace(/^http/, "ws");
  }

  #take(data: unknown): void {
    if (!this.#open) return;
    this.#heard();
    if (typeof data !== "string" || data === "pong") return;
    let event: Told | null;
    try {
      event = readEvent(data);
    } catch (thrown) {
      return this.#fail(new ThreadholdNetworkError("A frame is no JSON.", { cause: thrown }));
    }
    if (event === null) return;
    this.#sink.event(event);
    // It may have been closed for what it told.
    if (this.#open) this.#acknowledger.taken(event.seq, data.length);
  }

  #heard(): void {
    this.#callOff();
    this.#callOff = this.#target.requests.settings.timers.after(silenceMs, () => this.check());
  }

  #within(milliseconds: number, complaint: string): void {
    const { timers } = this.#target.requests.settings;
    this.#callOff();
    this.#callOff = timers.after(milliseconds, () => this.#fail(new ThreadholdNetworkError(complaint)));
  }

  #send(text: string): void {
    if (!this.#open || this.#socket === null) return;
    try {
      this.#socket.send(text);
    } catch (thrown) {
      this.#fail(new ThreadholdNetworkError("The socket could not be written to.", { cause: thrown }));
    }
  }

  #fail(error: Error): void {
    if (!this.#open) return;
    this.close();
    tellError(this.#sink, error);
  }
}

/** What the API said to the request for a ticket. A deployment that gives none can be followed over SSE all the same. */
function isAnswer(thrown: unknown): thrown is Error {
  if (thrown instanceof ThreadholdNetworkError) return true;
  return thrown instanceof ThreadholdClientError && thrown.code !== "auth_not_configured";
}

/** What a close says. One before the socket opened says nothing, in a browser: SSE then learns why. */
function errorOfClose(status: number, reason: string): Error {
  // The next ticket is requested with the token that is current then. If that one has expired too, the request is refused.
  if (status === expiredCloseCode) return new ThreadholdNetworkError("The token that opened the socket has expired.");
  const code = refusals[status] ?? (status >= 4400 && status < 4500 && status !== 4408 ? "invalid_request" : null);
  if (code === null) return new ThreadholdNetworkError(`The socket was closed (${status}).`);
  return new ThreadholdClientError({ code, message: reason === "" ? `Refused: ${code}.` : reason, status });
}
