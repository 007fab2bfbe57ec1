// What was delivered and not yet taken. The object bounds it, because nothing is acknowledged before it was taken.

import type { Delivery } from "./delivery.ts";

/** Where an answer's events come from. */
export interface DeliverySource {
  /** Resolves when there is something to take, or when the source was closed. */
  ready(): Promise<void>;
  /** Takes what is there, up to about `most` characters of it. */
  take(most?: number): Delivery[];
  /** Tells the object that everything up to `seq` was taken. */
  acknowledge(seq: number): void;
  /** Sends a ping to the object at intervals, as long as the client takes what is written. */
  ping(): void;
  /** Leaves. Nothing is delivered after this. */
  close(): void;
  readonly closed: boolean;
}

/** Deliveries in their order. */
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

  /** Drops the deliveries that wait. The client can subscribe again from its last number. */
  drop(): void {
    this.#waiting.length = 0;
  }

  /** Drops what is there. */
  close(): void {
    this.#closed = true;
    this.#waiting.length = 0;
    this.#wake.resolve();
  }
}
