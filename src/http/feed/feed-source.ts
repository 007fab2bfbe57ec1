// A feed's socket as the source of an SSE answer. It is attached once: what was told while nobody was attached is nowhere, so when
// the object's end goes away the answer ends, and whoever watches comes back and lists.

import { tooSlowCloseCode } from "#contract/error.ts";

import { DeliveryQueue } from "../bridge/delivery-queue.ts";
import type { DeliverySource } from "../bridge/delivery-queue.ts";
import { deliveryOfClose, readFrame } from "../bridge/delivery.ts";
import type { Delivery } from "../bridge/delivery.ts";
import { Pulse } from "../bridge/pulse.ts";

/** One watcher. */
export class FeedSource implements DeliverySource {
  readonly #socket: WebSocket;
  readonly #queue = new DeliveryQueue();
  readonly #pulse: Pulse;

  /** Takes a socket that was not accepted yet. `now` is microseconds. */
  constructor(socket: WebSocket, now: () => number) {
    this.#socket = socket;
    this.#pulse = new Pulse(now);
    socket.addEventListener("message", ({ data }) => {
      const delivery = typeof data === "string" ? readFrame(data) : null;
      if (delivery !== null) this.#queue.push(delivery);
    });
    socket.addEventListener("close", ({ code, reason }) => {
      // A client that does not read may stay connected for a long time. It must not hold memory until then.
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

  acknowledge(seq: number): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type: "ack", seq }));
  }

  ping(): void {
    this.#pulse.beat(this.#socket);
  }

  close(): void {
    if (this.closed) return;
    this.#queue.close();
    this.#socket.close(1000, "watcher left");
  }
}
