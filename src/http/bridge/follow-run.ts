// Waits until a run has ended or waits for a client. It follows the run's events over a subscription, and then reads the run itself,
// because the stored run is authoritative.

import { ThreadholdError } from "#contract/error.ts";
import { isFinished } from "#contract/finished.ts";
import type { Run } from "#contract/run.ts";

import { withLease } from "../limit/user-leases.ts";
import type { TakenLease } from "../limit/user-leases.ts";
import type { Delivery } from "./deliveries.ts";
import { pauseBeforeAttempt, Subscription } from "./thread-subscription.ts";
import type { SubscriptionPorts, SubscriptionTarget } from "./thread-subscription.ts";

/** A run to wait for. */
export interface RunToFollow {
  /** The subscription to the events that end or suspend the run, beginning with the run's admission. */
  target: SubscriptionTarget;
  /** The lease of that subscription: the user's right to one open stream (`core/rpc/lease.ts`). */
  lease: TakenLease;
  /** Reads the run. */
  read: () => Promise<Run>;
  /** Takes a lease for another subscription: the previous lease was given back when its subscription ended. */
  takeLease: () => Promise<TakenLease>;
  /** Aborted when the client has disconnected. */
  signal: AbortSignal;
  /** Receives a function that has to be called whenever the client proves that it is still connected. */
  onPing: (ping: () => void) => void;
}

/**
 * Resolves to the run when it has ended or waits for a client, however long that takes. Rejects if the object refuses or `signal` is
 * aborted.
 */
export async function followRun(run: RunToFollow, ports: SubscriptionPorts): Promise<Run> {
  let { target, lease } = run;
  for (let attempt = 1; ; attempt++) {
    run.signal.throwIfAborted();
    const after = await nextEndOrSuspension({ ...run, target, lease }, ports);
    const record = await run.read();
    if (isFinished(record.status) || record.status === "awaiting_tool_execution") return record;
    // The run continued in the meantime, or the socket closed early: wait for the next event that ends or suspends the run.
    if (after !== null) target = { ...target, query: { ...target.query, after: String(after) } };
    await pauseBeforeAttempt(ports, attempt);
    run.signal.throwIfAborted();
    lease = await run.takeLease();
    target = { ...target, caller: lease.caller };
  }
}

/** Number of the next event that ends or suspends the run; null if the subscription ended without one. */
async function nextEndOrSuspension(
  { target, lease, signal, onPing }: RunToFollow,
  ports: SubscriptionPorts,
): Promise<number | null> {
  // The object gives the lease back when the subscription ends. It does not have the lease of a subscription that was never opened.
  const subscription = await withLease(lease, () => Subscription.open(target, ports));
  const close = (): void => subscription.close();
  onPing(() => subscription.ping());
  signal.addEventListener("abort", close);
  try {
    // The client may have disconnected while the socket was opened, before the listener was added.
    signal.throwIfAborted();
    await subscription.ready();
    signal.throwIfAborted();
    return seqOf(subscription.take());
  } finally {
    signal.removeEventListener("abort", close);
    subscription.close();
  }
}

function seqOf(deliveries: readonly Delivery[]): number | null {
  let seq: number | null = null;
  for (const delivery of deliveries) {
    if (delivery.type === "refused") throw new ThreadholdError(delivery.refusal);
    if (delivery.type === "frame") seq = delivery.seq;
  }
  return seq;
}
