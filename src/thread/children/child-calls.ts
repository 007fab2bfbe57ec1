// Calls of a child thread that wait for a client or a person. The child reports them to its parent. The parent lists them with its own
// calls and accepts results for them, so that a client of the parent need not know of its child threads.

import type { ChildCalls } from "#core/thread-peer.ts";

import type { ObjectContext } from "../object-context.ts";
import type { Driver } from "../run/driver.ts";
import { findWaitingCall } from "./delivery.ts";

/** Stores the reported calls. A suspended run shows them at once, an executed run when it is suspended the next time. */
export function receiveChildCalls(context: ObjectContext, driver: Driver, { calls, ...told }: ChildCalls): void {
  const { live } = context;
  const row = findWaitingCall(live, told);
  if (row === null) return;
  const next = { ...row, awaits: { ...row.awaits, calls } };
  live.updateMessage(next);
  driver.showAwaited(next);
}
