// Finds the label of a structured answer: the title of the schema that it fits.

import type { Json, ThreadView } from "threadhold/client";
import { useThreadState } from "threadhold/react";

import { useAgents } from "./use-agents.ts";

const agentOf = ({ thread }: ThreadView): string | null => thread?.agent_id ?? null;

/** The label of a structured answer of a thread: the title of its prompt's schema; "Data" if the schema has none. */
export function useAnswerLabel(threadId: string, data: Json): string {
  const name = useThreadState(threadId, agentOf);
  const { agents } = useAgents();
  const structures = agents.find(({ agent }) => agent.name === name)?.structures ?? [];
  return titleFor(structures, data) ?? "Data";
}

/**
 * The title of the first schema that has every property of the data; null if there is no such schema, or if it has no title. The data
 * may fit none, because a message may request an answer of another schema, which is not stored with the answer.
 */
export function titleFor(structures: readonly Record<string, Json>[], data: Json): string | null {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return null;
  for (const { title, properties } of structures) {
    if (typeof properties !== "object" || properties === null || Array.isArray(properties)) continue;
    if (Object.keys(data).every((key) => key in properties)) return typeof title === "string" ? title : null;
  }
  return null;
}
