// Deletion across threads: a parent's children go with it, and a parent does not wait for a child that is gone.

import { refuse } from "#contract/error.ts";
import { peerCaller } from "#core/thread-peer.ts";

import type { ObjectContext } from "../object-context.ts";

/** Deletes every child, and theirs with it. Refused with `unavailable` while one cannot be reached. */
export async function removeChildren({ live, threads }: ObjectContext): Promise<void> {
  const children = live.record.children ?? [];
  const answers = await Promise.all(
    children.map((id) =>
      threads(id)
        .remove(peerCaller, true)
        .catch(() => null),
    ),
  );
  for (const answer of answers) {
    if (answer?.ok === true || answer?.refusal.code === "thread_not_found") continue;
    throw refuse("unavailable", "A child of this thread could not be deleted. Delete the thread again.");
  }
}

/** Answers the call of the parent with an error. A parent that heard an answer before does not mind. */
export async function tellParentOfDeletion({ live, threads }: ObjectContext): Promise<void> {
  const { parent, id } = live.record;
  if (parent === null) return;
  const answer = { status: "error" as const, error: "The thread that worked on this was deleted." };
  const { usage, cost } = live.record;
  await threads(parent.thread_id)
    .deliver({ answer, usage, cost, tool_executions: 0, from: id, message_id: parent.message_id })
    .catch((cause: unknown) => {
      // The parent's deadline answers in its place.
      console.error(JSON.stringify({ event: "parent_not_told", thread_id: id, cause: String(cause) }));
    });
}
