// The thread of an example page. Its id is in the address, so a reload opens the same thread: `/ai-sdk-chat/?agent=purchaser#<id>`.

import type { ThreadholdClient } from "threadhold/client";

/** Returns the id in the address, or creates a thread of the agent that the address names. */
export async function openThread(client: ThreadholdClient): Promise<string> {
  const known = location.hash.slice(1);
  if (known !== "") return known;
  const agent = new URLSearchParams(location.search).get("agent") ?? "purchaser";
  const { id } = await client.threads.create({ agent_id: agent });
  location.hash = id;
  return id;
}
