// Confirms the lease (a user's right to one running thread, `core/rpc/lease.ts`) of a call that may start a run: the owner's feed object counts
// the thread as running from then on.

import type { OpenThread } from "./loaded-thread.ts";
import type { MethodCall } from "./method-call.ts";

/** Admits an input on the caller's thread. If that succeeds, confirms the caller's lease with the thread's status after it. */
export async function withConfirmedLease<T>(
  { caller, thread }: MethodCall,
  admit: (open: OpenThread) => Promise<T>,
): Promise<T> {
  const open = thread();
  const admitted = await admit(open);
  open.context.ownerFeed.confirmLease(caller, open.context.live);
  return admitted;
}
