// The deletion of a child thread, as its parent thread sees it: the parent does not wait for it any longer.

import { zeroUsage } from "#contract/usage.ts";
import type { ThreadParent, ThreadRecord } from "#core/record/record.ts";
import type { RunRecord } from "#core/record/run-record.ts";
import { peerCaller } from "#core/rpc/thread-peer.ts";
import { causeOf } from "#lib/log-port.ts";
import type { ManagedThreadStore } from "#store/thread-lifecycle.ts";

import type { Deployment } from "../deployment.ts";

/** The idempotency key for the tool call of a parent thread. The call's child thread is created, and its run is stored, under this key. */
export function callKey(parent: ThreadParent): string {
  return `call ${parent.message_id}`;
}

/** Delivers an error result and the cost to the parent's call. If the call has a result already, the error is ignored. */
export async function notifyParentOfDeletion(
  { id, parent }: ThreadRecord,
  store: ManagedThreadStore,
  { threads, log }: Pick<Deployment, "threads" | "log">,
): Promise<void> {
  if (parent === null) return;
  const answer = { status: "error" as const, error: "The thread that worked on this was deleted." };
  const { usage, cost } = runFor(store, parent) ?? { usage: zeroUsage, cost: 0 };
  await threads(parent.thread_id)
    .call("deliver", peerCaller, { answer, usage, cost, tool_executions: 0, from: id, message_id: parent.message_id })
    .catch((cause: unknown) => {
      // Not retried: the parent's call gets an error at its deadline.
      log("warning", "parent_not_notified", { thread_id: id, cause: causeOf(cause) });
    });
}

/**
 * The run for which the parent waits; null if there is none. The cost of a run that a client began in the child does not count for the
 * parent.
 */
function runFor(store: ManagedThreadStore, parent: ThreadParent): RunRecord | null {
  const run = store.key(callKey(parent))?.answer["run"] as { id: string } | null | undefined;
  return run == null ? null : store.run(run.id);
}
