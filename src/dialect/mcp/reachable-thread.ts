// The threads that an MCP client can reach: those with the tag `mcp`, which the threads of its calls get. Other threads of the same user
// are not reachable, because no call of an MCP client created them.

import { refuse } from "#contract/error.ts";
import type { Thread } from "#contract/thread.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import type { CallThread } from "#http/thread/call-thread.ts";
import { threadUuidText } from "#lib/uuid-text.ts";

/** The tag of these threads. */
export const threadTag = "mcp";

/** Returns the thread with this id. Refuses with `thread_not_found` a text that is no id, and a thread that the client cannot reach. */
export async function reachableThread(calls: CallThread, caller: Caller, id: string): Promise<Thread> {
  const threadId = threadUuidText(id);
  if (threadId === null) throw refuse("thread_not_found", "There is no such thread.");
  const thread = await calls({ threadId, repeatable: true, run: (stub) => stub.call("describe", caller) });
  if (thread.tags.includes(threadTag)) return thread;
  throw refuse(
    "thread_not_found",
    `MCP clients reach threads with the tag "${threadTag}", and this one does not have it.`,
  );
}
