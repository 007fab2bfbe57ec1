// The socket of a feed object as the source of an SSE response. It does not reconnect: feed messages that were missed in between
// would be lost. When the socket closes, the response ends; the client subscribes again and lists the threads.

import type { Acknowledger } from "#contract/acknowledger.ts";
import { tooSlowCloseCode } from "#contract/error.ts";

import { DeliveryQueue, Pulse, createSocketAcknowledger, deliveryOfClose, readFrame } from "../bridge/deliveries.ts";
import type { Delivery, DeliverySource } from "../bridge/deliveries.ts";
import type { SubscriptionPorts } from "../bridge/thread-subscription.ts";

/** The subscription of one SSE response to a feed. */
export class FeedSource implements DeliverySource {
  readonly #socket: WebSocket;
  readonly #queue = new DeliveryQueue();
  readonly #pulse: Pulse;
  readonly #acknowledger: Acknowledger;

  /** `socket` is not accepted yet. */
  constructor(socket: WebSocket, { timers, now }: Pick<SubscriptionPorts, "timers" | "now">) {
    this.#socket = socket;
    this.#acknowledger = createSocketAcknowledger(socket, timers);
    this.#pulse = new Pulse(now);
    socket.addEventListener("message", ({ data }) => {
      const delivery = typeof data === "string" ? readFrame(data) : null;
      if (delivery !== null) this.#queue.push(delivery);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      // A client that does not read may stay connected for a long time. Its events are dropped so that they do not occupy memory.
      if (code === tooSlowCloseCode) this.#queue.drop();
      this.#queue.push(deliveryOfClose(code, reason) ?? { type: "closed" });
    });
    socket.addEventListener("error", () => this.#queue.push({ type: "closed" }));
    socket.accept();
  }

  get closed(): boolean {
    return this.#queue.closed;
  }

  ready(): Promise<void> {
    return this.#queue.ready();
  }

  take(most?: number): Delivery[] {
    return this.#queue.take(most);
  }

  taken(seq: number, bytes: number): void {
    this.#acknowledger.taken(seq, bytes);
  }

  ping(): void {
    this.#pulse.beat(this.#socket);
  }

  close(): void {
    if (this.closed) return;
    this.#queue.close();
    this.#acknowledger.stop();
    this.#socket.close(1000, "watcher left");
  }
}
