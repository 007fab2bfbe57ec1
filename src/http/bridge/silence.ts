// Measures the silence of one stream of server-sent events. One timer serves the whole stream: when it runs, it checks when the current wait
// began, because a timer for each event would cost more than the event. Invariants: a wait ends when its deliveries are ready or after
// `heartbeatMs`; without a wait, the timer is not set again.

import { deferred } from "#lib/deferred.ts";

import type { DeliverySource } from "./deliveries.ts";
import type { SubscriptionPorts } from "./thread-subscription.ts";

/** Milliseconds without an event after which a heartbeat is sent. */
const heartbeatMs = 15_000;

/** The silence of one stream. */
export class Silence {
  readonly #ports: Pick<SubscriptionPorts, "timers" | "now">;
  /** The time at which the current wait began, in microseconds. */
  #begin = 0;
  #endWait: (() => void) | null = null;
  #disarm: (() => void) | null = null;

  constructor(ports: Pick<SubscriptionPorts, "timers" | "now">) {
    this.#ports = ports;
  }

  /** Waits until deliveries are ready or a heartbeat is due. */
  async wait(source: DeliverySource): Promise<void> {
    const { promise, resolve } = deferred<void>();
    this.#begin = this.#ports.now();
    this.#endWait = resolve;
    if (this.#disarm === null) this.#arm(heartbeatMs);
    await Promise.race([source.ready(), promise]);
    this.#endWait = null;
  }

  /** Cancels the timer, at the end of the stream. */
  end(): void {
    this.#disarm?.();
  }

  #arm(milliseconds: number): void {
    this.#disarm = this.#ports.timers.after(milliseconds, () => {
      this.#disarm = null;
      const remaining = heartbeatMs - (this.#ports.now() - this.#begin) / 1000;
      if (remaining <= 0) this.#endWait?.();
      else if (this.#endWait !== null) this.#arm(remaining);
    });
  }
}
