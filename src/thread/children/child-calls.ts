// Calls of a child thread that wait for somebody outside: the child tells its parent, which shows them as its own and takes
// answers to them, so that whoever follows a conversation need not know of the threads below it.

import type { ChildCalls } from "#core/thread-peer.ts";

import type { ObjectContext } from "../object-context.ts";
import type { Driver } from "../run/driver.ts";
import { waitingCall } from "./delivery.ts";

/** Takes what a child told. A resting run shows it at once, one at work with its next rest. */
export function takeChildCalls(context: ObjectContext, driver: Driver, { calls, ...told }: ChildCalls): void {
  const { live } = context;
  const row = waitingCall(live, told);
  if (row === null) return;
  const next = { ...row, awaits: { ...row.awaits, calls } };
  live.updateMessage(next);
  driver.showAwaited(next);
}
