// The name of a thread: its title, or without a title its agent's title and the beginning of its id.

import { useCallback } from "react";
import { ThreadholdClientError } from "threadhold/client";
import type { Message, Thread, ThreadHandle } from "threadhold/client";

import { useAgents } from "../agents/use-agents.ts";

/** Names a thread. The agent is the one it was created with, so that a handoff does not rename it. */
export type NameOf = (thread: Pick<Thread, "title" | "origin_agent_id" | "id">) => string;

/** Names threads by their agents' titles, if the agents are loaded. */
export function useNameOf(): NameOf {
  const titleOf = useAgentTitle();
  return useCallback(
    ({ title, origin_agent_id, id }) => title ?? `${titleOf(origin_agent_id)} ${id.slice(0, 4)}`,
    [titleOf],
  );
}

/** Returns the title of an agent; for an undefined agent its name. */
export function useAgentTitle(): (name: string) => string {
  const { agents } = useAgents();
  return useCallback((name) => agents.find(({ agent }) => agent.name === name)?.agent.title ?? name, [agents]);
}

const longest = 80;

/**
 * Gives an unnamed thread a title from its first message. It uses the stored message, because hooks may have changed or removed the
 * typed text, and the title is shown and searched in every list.
 */
export async function nameAfter(handle: ThreadHandle, message: Message): Promise<void> {
  let given = titleOfMessage(message);
  if (given === null) return;
  // A title is a convenience: without one the thread keeps its default name.
  const put = async (title: string | null): Promise<void> =>
    void (await handle.patch({ title }).catch(() => undefined));
  const change = (now: Message | null): void => {
    const next = now === null ? null : titleOfMessage(now);
    const shown = handle.state.thread?.title ?? null;
    // The title was changed elsewhere meanwhile.
    if (next === given || (shown !== null && shown !== given)) return;
    given = next;
    void put(next);
  };
  // A hook may change or remove the message after it is stored.
  const leaves = [
    handle.on("message_updated", ({ message: now }) => (now.id === message.id ? change(now) : undefined)),
    handle.on("message_deleted", ({ message: { id } }) => (id === message.id ? change(null) : undefined)),
    handle.on("run_end", ({ run_id: id }) => {
      if (id !== message.run_id) return;
      for (const leave of leaves) leave();
    }),
  ];
  await put(given);
  // The hook may have removed it before this page received the message.
  const gone = (thrown: unknown): Message | null => (isMissing(thrown) ? null : message);
  change(await handle.messages.get(message.id).catch(gone));
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof ThreadholdClientError && thrown.code === "message_not_found";
}

function titleOfMessage({ content, silent }: Message): string | null {
  const title = silent ? "" : titleFrom(content ?? "");
  return title === "" ? null : title;
}

/** The beginning of a text as a title. */
function titleFrom(words: string): string {
  const line = words.replaceAll(/\s+/g, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).trimEnd()}…`;
}

/** The address of a thread's page, with the list's filter. */
export function threadPath(id: string, search = ""): string {
  return `/threads/${encodeURIComponent(id)}${search === "" ? "" : `?${search}`}`;
}
