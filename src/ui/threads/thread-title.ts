// What a thread is called where nobody gave it a title.

import type { Thread } from "#client/index.ts";

/** Its title, or its agent's name and the beginning of its id. */
export function titleOf({ title, agent_id, id }: Pick<Thread, "title" | "agent_id" | "id">): string {
  return title ?? `${agent_id} ${id.slice(0, 4)}`;
}

const longest = 80;

/** A title made of the first words that are said. */
export function titleFrom(words: string): string {
  const line = words.replaceAll(/\s+/g, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).trimEnd()}…`;
}

/** The address of its page, with the list's filter kept. */
export function threadPath(id: string, search = ""): string {
  return `/threads/${encodeURIComponent(id)}${search === "" ? "" : `?${search}`}`;
}
