// The name of a thread: its title, or without a title its agent's title and the beginning of its id.

import { useCallback } from "react";
import type { Thread } from "threadhold/client";

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

/** The address of a thread's page, with the list's filter. */
export function threadPath(id: string, search = ""): string {
  return `/threads/${encodeURIComponent(id)}${search === "" ? "" : `?${search}`}`;
}
