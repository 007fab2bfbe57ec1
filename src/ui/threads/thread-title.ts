// What a thread is called where nobody gave it a title.

import type { Message, Thread, ThreadHandle } from "#client/index.ts";

/** Its title, or its agent's name and the beginning of its id. */
export function titleOf({ title, agent_id, id }: Pick<Thread, "title" | "agent_id" | "id">): string {
  return title ?? `${agent_id} ${id.slice(0, 4)}`;
}

const longest = 80;

/**
 * Gives an unnamed thread a title from its first message, as the server stored it: hooks may have changed or removed what was typed,
 * and the title is shown and searched wherever the thread is listed.
 */
export async function nameAfter(handle: ThreadHandle, { content, silent }: Message): Promise<void> {
  const title = silent ? "" : titleFrom(content ?? "");
  // A title is a convenience: without one the thread keeps its default name.
  if (title !== "") await handle.patch({ title }).catch(() => undefined);
}

/** A title made from a text. */
function titleFrom(words: string): string {
  const line = words.replaceAll(/\s+/g, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).trimEnd()}…`;
}

/** The address of its page, with the list's filter kept. */
export function threadPath(id: string, search = ""): string {
  return `/threads/${encodeURIComponent(id)}${search === "" ? "" : `?${search}`}`;
}
