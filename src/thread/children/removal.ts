// Deletion of related threads: the child threads of a deleted thread are deleted too, and its parent does not wait for it any longer.

import { refuse } from "#contract/error.ts";
import { zeroUsage } from "#contract/usage.ts";
import type { ThreadParent } from "#core/record.ts";
import type { RunRecord } from "#core/run-record.ts";
import { peerCaller } from "#core/thread-peer.ts";
import { causeOf } from "#lib/log-port.ts";

import type { ObjectContext } from "../object-context.ts";
import type { Driver } from "../run/driver.ts";

/** The idempotency key for the tool call of a parent thread. The call's child thread is created, and its run is stored, under this key. */
export function callKey(parent: ThreadParent): string {
  return `call ${parent.message_id}`;
}

/** Deletes every child thread, which deletes its own children. Throws `unavailable` if one of them cannot be reached. */
export async function deleteChildren({ live, threads }: ObjectContext): Promise<void> {
  const children = live.record.children ?? [];
  const answers = await Promise.all(
    children.map((id) =>
      threads(id)
        .call("remove", peerCaller, true)
        .catch(() => null),
    ),
  );
  for (const answer of answers) {
    if (answer?.ok === true || answer?.refusal.code === "thread_not_found") continue;
    throw refuse("unavailable", "A child of this thread could not be deleted. Delete the thread again.");
  }
}

/** Delivers an error result and the cost to the parent's call. If the call has a result already, the error is ignored. */
export async function notifyParentOfDeletion({ live, threads, log }: ObjectContext, driver: Driver): Promise<void> {
  const { parent, id } = live.record;
  if (parent === null) return;
  const answer = { status: "error" as const, error: "The thread that worked on this was deleted." };
  const { usage, cost } = runFor(live, driver, parent) ?? { usage: zeroUsage, cost: 0 };
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
function runFor({ store }: ObjectContext["live"], driver: Driver, parent: ThreadParent): RunRecord | null {
  const run = store.key(callKey(parent))?.answer["run"] as { id: string } | null | undefined;
  if (run == null) return null;
  const active = driver.activeRun;
  return active?.id === run.id ? active : store.run(run.id);
}
