// A subscription from the Worker to a thread: a WebSocket to the thread's object that is opened again after the object was reset. It
// reconnects after the last received event and drops duplicates, so that every event is delivered once and in order.

import type { Acknowledger } from "#contract/acknowledger.ts";
import { errorBodySchema } from "#contract/error-body.ts";
import { ThreadholdError, tooSlowCloseCode } from "#contract/error.ts";
import type { Caller, ThreadDirectory } from "#core/rpc/thread-rpc.ts";
import { callerHeader, endField, subscribePath } from "#core/rpc/thread-rpc.ts";
import { backOffMs } from "#lib/back-off.ts";
import { pause } from "#lib/timers.ts";
import type { Timers } from "#lib/timers.ts";
import { ownResponseJson } from "#lib/untrusted/own-json.ts";

import { DeliveryQueue, Pulse, createSocketAcknowledger, deliveryOfClose, readFrame } from "./deliveries.ts";
import type { Delivery, DeliverySource } from "./deliveries.ts";

/** The query fields of a request to subscribe to a thread, already validated. */
export type SubscriptionQuery = Readonly<Record<string, string>>;

/** The thread, the caller and the query of a subscription. */
export interface SubscriptionTarget {
  threads: ThreadDirectory;
  threadId: string;
  caller: Caller;
  query: SubscriptionQuery;
}

/** The time functions of a subscription. `now` returns microseconds, and `random` a number from 0 up to 1. */
export interface SubscriptionPorts {
  timers: Timers;
  now: () => number;
  random: () => number;
}

/** Microseconds after which an open connection counts as stable: the next reconnect begins with the shortest delay again. */
const settledMicros = 10_000_000;

/**
 * Waits before the next attempt to connect; `failures` counts from 1. The wait grows from 0.1 to 5 s and is multiplied by a random factor from
 * 0.5 to 1.5: after a reset that many objects had in common, their subscribers do not return at the same time.
 */
export async function pauseBeforeAttempt({ timers, random }: SubscriptionPorts, failures: number): Promise<void> {
  await pause(timers, backOffMs(failures, { first: 100, longest: 5000 }, 0.5 + random())).done;
}

/** A subscription to one thread. */
export class Subscription implements DeliverySource {
  readonly #target: SubscriptionTarget;
  readonly #ports: SubscriptionPorts;
  readonly #queue = new DeliveryQueue();
  readonly #pulse: Pulse;
  #socket: WebSocket | null = null;
  #acknowledger: Acknowledger | null = null;
  #lastSeq: number | null = null;
  /** The number of the last event of earlier connections. The object does not wait for acknowledgements of such events on this one. */
  #lastEarlierSeq = -1;
  #attempts = 0;
  #attachedAt = 0;

  private constructor(target: SubscriptionTarget, ports: SubscriptionPorts) {
    this.#target = target;
    this.#ports = ports;
    this.#pulse = new Pulse(ports.now);
    const after = target.query["after"];
    if (after !== undefined) this.#lastSeq = Number(after);
  }

  /** Opens the first connection. Throws the object's refusal. */
  static async open(target: SubscriptionTarget, ports: SubscriptionPorts): Promise<Subscription> {
    const subscription = new Subscription(target, ports);
    await subscription.#attach();
    return subscription;
  }

  ready(): Promise<void> {
    return this.#queue.ready();
  }

  take(most?: number): Delivery[] {
    return this.#queue.take(most);
  }

  taken(seq: number, bytes: number): void {
    if (seq > this.#lastEarlierSeq) this.#acknowledger?.taken(seq, bytes);
  }

  ping(): void {
    this.#pulse.beat(this.#socket);
  }

  /** Closes the subscription. Nothing is delivered afterwards. */
  close(): void {
    if (this.closed) return;
    this.#queue.close();
    this.#acknowledger?.stop();
    this.#socket?.close(1000, "reader left");
    this.#socket = null;
  }

  get closed(): boolean {
    return this.#queue.closed;
  }

  async #attach(): Promise<void> {
    const { query } = this.#target;
    const after = this.#lastSeq === null ? query : { ...query, after: String(this.#lastSeq) };
    const { threads, threadId, caller } = this.#target;
    const socket = await socketOf(await threads(threadId).fetch(subscribeRequest(caller, after)));
    if (this.closed) {
      socket.accept();
      socket.close(1000, "reader left");
      return;
    }
    this.#socket = socket;
    this.#lastEarlierSeq = this.#lastSeq ?? -1;
    this.#acknowledger = createSocketAcknowledger(socket, this.#ports.timers);
    this.#attachedAt = this.#ports.now();
    socket.addEventListener("message", ({ data }) => this.#receive(socket, data));
    socket.addEventListener("close", ({ code, reason }) => {
      // A client that does not read may stay connected for a long time. Its events are dropped, so that they use no memory.
      if (code === tooSlowCloseCode) this.#queue.drop();
      this.#handleLoss(socket, deliveryOfClose(code, reason));
    });
    socket.addEventListener("error", () => this.#handleLoss(socket, null));
    socket.accept();
  }

  #receive(socket: WebSocket, data: unknown): void {
    if (socket !== this.#socket || typeof data !== "string") return;
    const delivery = readFrame(data);
    if (delivery === null) return;
    if (delivery.type === "frame") {
      const seen = this.#lastSeq !== null && delivery.seq <= this.#lastSeq;
      if (seen && delivery.event !== "snapshot") return;
      // A snapshot may have a lower number. It is acknowledged too.
      this.#lastEarlierSeq = Math.min(this.#lastEarlierSeq, delivery.seq - 1);
      this.#lastSeq = delivery.seq;
      this.#attempts = 0;
    }
    this.#queue.push(delivery);
  }

  #handleLoss(socket: WebSocket, last: Delivery | null): void {
    if (socket !== this.#socket) return;
    this.#socket = null;
    this.#acknowledger?.stop();
    this.#acknowledger = null;
    if (last === null) void this.#attachAgain();
    else this.#queue.push(last);
  }

  async #attachAgain(): Promise<void> {
    if (this.#ports.now() - this.#attachedAt >= settledMicros) this.#attempts = 0;
    while (!this.closed) {
      this.#attempts += 1;
      await pauseBeforeAttempt(this.#ports, this.#attempts);
      if (this.closed) return;
      try {
        await this.#attach();
        return;
      } catch (thrown) {
        if (!(thrown instanceof ThreadholdError) || thrown.code === "unavailable") continue;
        this.#queue.push({ type: "refused", refusal: thrown.refusal });
        return;
      }
    }
  }
}

/** Builds the internal upgrade request. It contains only the validated query and the caller, and nothing else of the client's request. */
export function subscribeRequest(caller: Caller, query: SubscriptionQuery): Request {
  const url = new URL(subscribePath, "https://thread");
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  // A stream that follows one run is part of the response to the request that started the run, so it may continue after the credentials
  // have expired.
  if (caller.until !== undefined && query["run_id"] === undefined) url.searchParams.set(endField, String(caller.until));
  return new Request(url, { headers: { upgrade: "websocket", [callerHeader]: JSON.stringify(caller) } });
}

/** Returns the socket of an object's response to an upgrade. Throws the object's refusal, or `unavailable` for any other response. */
export async function socketOf(response: Response): Promise<WebSocket> {
  if (response.webSocket) return response.webSocket;
  const body = errorBodySchema.safeParse(await ownResponseJson(response).catch(() => null));
  if (body.success) {
    const { code, message } = body.data.error;
    const after = Number(response.headers.get("retry-after") ?? Number.NaN);
    throw new ThreadholdError({ code, message, ...(after > 0 ? { retry_after_ms: after * 1000 } : {}) });
  }
  const cause = new Error(`The object answered an upgrade with status ${String(response.status)}.`);
  const message = "The stream could not be opened. Try again.";
  throw new ThreadholdError({ code: "unavailable", message, retry_after_ms: 1000 }, { cause });
}
