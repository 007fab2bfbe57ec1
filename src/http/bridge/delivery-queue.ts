// A queue of events from an object to a response. The object bounds its size: it sends only a limited amount before the Worker
// acknowledges, and the Worker acknowledges an event after it was taken from the queue.

import type { Delivery } from "./delivery.ts";

/** The source of a response's events. */
export interface DeliverySource {
  /** Resolves when deliveries are available or the source is closed. */
  ready(): Promise<void>;
  /** Removes and returns deliveries, of about `most` characters at most. */
  take(most?: number): Delivery[];
  /** Acknowledges to the object that everything up to `seq` was taken. */
  acknowledge(seq: number): void;
  /** Reports to the object that the client is connected. Called whenever the client reads. */
  ping(): void;
  /** Closes the subscription. Nothing is delivered afterwards. */
  close(): void;
  readonly closed: boolean;
}

/** Deliveries in the order of their arrival. */
export class DeliveryQueue {
  readonly #waiting: Delivery[] = [];
  #wake = Promise.withResolvers<void>();
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  ready(): Promise<void> {
    return this.#wake.promise;
  }

  take(most = Number.POSITIVE_INFINITY): Delivery[] {
    let size = 0;
    let count = 0;
    while (count < this.#waiting.length && size < most) {
      const delivery = this.#waiting[count];
      size += delivery?.type === "frame" ? delivery.json.length : 0;
      count += 1;
    }
    const taken = this.#waiting.splice(0, count);
    if (this.#waiting.length === 0 && !this.#closed) this.#wake = Promise.withResolvers();
    return taken;
  }

  push(delivery: Delivery): void {
    if (this.#closed) return;
    this.#waiting.push(delivery);
    this.#wake.resolve();
  }

  /** Discards the queued deliveries. The client can resume from the last event that it has received. */
  drop(): void {
    this.#waiting.length = 0;
  }

  /** Discards the queued deliveries and ends the queue. */
  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
    this.#wake.resolve();
  }
}
