// Waits for a run to rest: follows its last events over the bridge, then asks for the run itself, which is the truth.

import { ThreadholdError } from "#contract/error.ts";
import { isFinished } from "#contract/finished.ts";
import type { Run } from "#contract/run.ts";
import type { Caller } from "#core/thread-rpc.ts";
import { backOffMs } from "#lib/back-off.ts";
import { pause } from "#lib/timers.ts";

import type { SubscriptionTarget } from "./attach.ts";
import type { Delivery } from "./delivery.ts";
import { attachBackOff, Subscription } from "./subscription.ts";
import type { SubscriptionPorts } from "./subscription.ts";

/** A run to wait for. */
export interface RunToFollow {
  /** Subscribed to the run's end and rest only, from where the run was admitted. */
  target: SubscriptionTarget;
  /** Reads the run. */
  read: () => Promise<Run>;
  /** Takes a place for another subscription, because the place of the last one was given back at its end. Returns the caller with the lease. */
  again: () => Promise<Caller>;
  /** Fires when nobody waits any more. */
  signal: AbortSignal;
  /** Receives a function to call whenever the client proves to be connected. */
  onPing: (ping: () => void) => void;
}

/** The run once it rests. There is no limit to the wait; throws when the object refuses or `signal` fires. */
export async function followRun(run: RunToFollow, ports: SubscriptionPorts): Promise<Run> {
  let { target } = run;
  for (let attempt = 1; ; attempt++) {
    run.signal.throwIfAborted();
    const after = await restEvent({ ...run, target }, ports);
    const record = await run.read();
    if (isFinished(record.status) || record.status === "awaiting_tool_execution") return record;
    // A rest that was left since, or a socket that ended early: go on behind it.
    if (after !== null) target = { ...target, query: { ...target.query, after: String(after) } };
    await pause(ports.timers, backOffMs(attempt, attachBackOff)).done;
    run.signal.throwIfAborted();
    target = { ...target, caller: await run.again() };
  }
}

/** Number of the next event that speaks of rest; null when the subscription ended without one. */
async function restEvent({ target, signal, onPing }: RunToFollow, ports: SubscriptionPorts): Promise<number | null> {
  const subscription = await Subscription.open(target, ports);
  const leave = (): void => subscription.close();
  onPing(() => subscription.ping());
  signal.addEventListener("abort", leave);
  try {
    // Whoever left while the socket was being opened fired before anyone listened.
    signal.throwIfAborted();
    await subscription.ready();
    signal.throwIfAborted();
    return seqOf(subscription.take());
  } finally {
    signal.removeEventListener("abort", leave);
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
