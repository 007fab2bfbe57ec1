// The WebSocket carrier. It opens the socket with a single-use ticket if the client has a token, acknowledges events as the
// protocol requires, and pings the server when no frame arrives for a while.

import { createAcknowledger } from "#contract/acknowledger.ts";
import type { Acknowledger } from "#contract/acknowledger.ts";
import type { ErrorCode } from "#contract/error.ts";
import { expiredCloseCode } from "#contract/stream-limits.ts";

import type { QueryValue } from "../address.ts";
import { ThreadholdClientError, ThreadholdNetworkError } from "../client-error.ts";
import type { ClientSocket, SocketConstructor } from "../settings.ts";
import { openTimeoutMs, readEvent, reportError } from "./carrier.ts";
import type { OpenedCarrier, OpenCarrier, CarrierSink, Target, StreamEvent } from "./carrier.ts";

/** Milliseconds without a frame after which a ping is sent. */
const silenceMs = 25_000;

/** Milliseconds within which a frame has to follow a ping. */
const pongTimeoutMs = 10_000;

/** Error codes of the contract by the close code of the socket. */
const refusals: Readonly<Record<number, ErrorCode>> = {
  4401: "unauthorized",
  4403: "forbidden",
  4404: "thread_not_found",
  4429: "rate_limited",
};

/** Returns a function that opens carriers with the given WebSocket class. */
export function socketCarrier(Socket: SocketConstructor): OpenCarrier {
  return (target, sink) => {
    const carrier = new SocketCarrier(target, sink);
    void carrier.open(Socket);
    return carrier;
  };
}

class SocketCarrier implements OpenedCarrier {
  readonly #target: Target;
  readonly #sink: CarrierSink;
  readonly #abort = new AbortController();
  #socket: ClientSocket | null = null;
  #cancelTimer = (): void => undefined;
  readonly #acknowledger: Acknowledger;
  #open = true;
  #opened = false;

  constructor(target: Target, sink: CarrierSink) {
    this.#target = target;
    this.#sink = sink;
    const { timers } = target.requests.settings;
    this.#acknowledger = createAcknowledger(timers, (seq) => this.#send(JSON.stringify({ type: "ack", seq })));
  }

  async open(Socket: SocketConstructor): Promise<void> {
    this.#failAfter(openTimeoutMs, `The socket did not open within ${openTimeoutMs} ms.`);
    try {
      const url = await this.#url();
      if (!this.#open) return;
      const socket = new Socket(url);
      this.#socket = socket;
      socket.addEventListener("open", () => {
        if (!this.#open) return;
        this.#opened = true;
        this.#restartSilenceTimer();
        this.#sink.opened();
      });
      socket.addEventListener("message", ({ data }) => this.#receive(data));
      // The error event of a socket has no reason. The close event that follows has one, if the platform gives any.
      socket.addEventListener("error", () => undefined);
      socket.addEventListener("close", ({ code, reason }) => this.#fail(errorFromClose(code, reason)));
    } catch (thrown) {
      const message = "No socket could be made.";
      this.#fail(isReportedUnchanged(thrown) ? thrown : new ThreadholdNetworkError(message, { cause: thrown }));
    }
  }

  close(): void {
    this.#open = false;
    this.#cancelTimer();
    this.#acknowledger.stop();
    this.#abort.abort();
    this.#socket?.close(1000);
  }

  check(): void {
    if (!this.#opened || !this.#open) return;
    this.#send("ping");
    this.#failAfter(pongTimeoutMs, `The socket was silent for ${pongTimeoutMs} ms.`);
  }

  /** The socket's address. It contains a ticket and not the token, because proxies log addresses. */
  async #url(): Promise<string> {
    const { requests, stream, after } = this.#target;
    const { socket, params } = stream;
    const query: Record<string, QueryValue> = { after, ...stream.query };
    if ((await requests.settings.token()) !== null) {
      const address = requests.address(socket, { params });
      const path = address.slice(requests.settings.url.length);
      const request = { body: { path }, retries: 0, timeoutMs: openTimeoutMs, signal: this.#abort.signal };
      query["ticket"] = (await requests.json("POST /api/tickets", request)).ticket;
    }
    return requests.address(socket, { params, query }).replace(/^http/, "ws");
  }

  #receive(data: unknown): void {
    if (!this.#open) return;
    this.#restartSilenceTimer();
    if (typeof data !== "string" || data === "pong") return;
    let event: StreamEvent | null;
    try {
      event = readEvent(data);
    } catch (thrown) {
      return this.#fail(new ThreadholdNetworkError("A frame is not JSON.", { cause: thrown }));
    }
    if (event === null) return;
    this.#sink.event(event);
    // The sink may have closed the carrier while it handled the event. A closed carrier acknowledges nothing.
    if (this.#open) this.#acknowledger.taken(event.seq, data.length);
  }

  #restartSilenceTimer(): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#target.requests.settings.timers.after(silenceMs, () => this.check());
  }

  #failAfter(milliseconds: number, message: string): void {
    const { timers } = this.#target.requests.settings;
    this.#cancelTimer();
    this.#cancelTimer = timers.after(milliseconds, () => this.#fail(new ThreadholdNetworkError(message)));
  }

  #send(text: string): void {
    if (!this.#open || this.#socket === null) return;
    try {
      this.#socket.send(text);
    } catch (thrown) {
      this.#fail(new ThreadholdNetworkError("The socket failed.", { cause: thrown }));
    }
  }

  #fail(error: Error): void {
    if (!this.#open) return;
    this.close();
    reportError(this.#sink, error);
  }
}

/**
 * Whether an error while opening is reported as it is: a network error, or a refusal of the ticket. An exception is `auth_not_configured`:
 * a deployment without authentication issues no tickets, but may be reachable over SSE.
 */
function isReportedUnchanged(thrown: unknown): thrown is Error {
  if (thrown instanceof ThreadholdNetworkError) return true;
  return thrown instanceof ThreadholdClientError && thrown.code !== "auth_not_configured";
}

/** The error for a close code. If a socket never opened, a browser gives no reason; the next attempt uses SSE and receives one. */
function errorFromClose(status: number, reason: string): Error {
  // The next ticket is requested with the current token. If that token has expired too, the request is refused.
  if (status === expiredCloseCode) return new ThreadholdNetworkError("The token of the socket has expired.");
  const code = refusals[status] ?? (status >= 4400 && status < 4500 && status !== 4408 ? "invalid_request" : null);
  if (code === null) return new ThreadholdNetworkError(`The socket was closed with code ${status}.`);
  return new ThreadholdClientError({ code, message: reason === "" ? `Refused: ${code}.` : reason, status });
}
