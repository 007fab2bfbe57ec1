// Tool calls and their results as AI SDK UI shows them.

import type { Json } from "#contract/json.ts";
import type { Message } from "#contract/thread-message.ts";
import { resultValue } from "#lib/json-value.ts";
import { readTool } from "#spec/define-tool.ts";
import { readSkillName } from "#spec/project-skill.ts";
import type { Registry } from "#spec/registry.ts";

/** Whether the calls of a tool are marked as executed by the server. `useChat` offers the calls of all other tools to `onToolCall`. */
export type IsServerTool = (name: string) => boolean;

/**
 * Reads which tools the server runs: tools of the project that have a function, its prompts and agents, all tools of MCP servers and
 * OpenAPI documents, and the tool that reads skills.
 */
export async function readServerTools({
  tools,
  prompts,
  agents,
  toolSources = [],
  skills,
}: Pick<Registry, "tools" | "prompts" | "agents" | "toolSources" | "skills">): Promise<IsServerTool> {
  const loaded = await Promise.all(Object.entries(tools).map(async ([name, load]) => ({ name, tool: await load() })));
  const remote = new Set(loaded.filter(({ tool }) => readTool(tool).run === undefined).map(({ name }) => name));
  const prefixes = toolSources.flatMap(({ definitions }) => definitions.map(({ prefix }) => `${prefix}__`));
  return (name) =>
    !remote.has(name) &&
    ([tools, prompts, agents].some((definitions) => Object.hasOwn(definitions, name)) ||
      prefixes.some((prefix) => name.startsWith(prefix)) ||
      (skills !== undefined && name === readSkillName));
}

/** How a call ended. */
export type CallEnd =
  | { state: "output-available"; output: Json }
  | { state: "output-error"; errorText: string }
  | { state: "output-denied" };

/** The end of a call, from its tool message. */
export function callEnd({ result, content, approval }: Pick<Message, "result" | "content" | "approval">): CallEnd {
  if (approval?.approved === false) return { state: "output-denied" };
  if (result?.status === "error") return { state: "output-error", errorText: result.error ?? content ?? "" };
  return { state: "output-available", output: resultValue(result?.result ?? content ?? "") as Json };
}

/** A thread whose files have addresses. */
export interface FileOwner {
  /** The path under which the API is served; empty for the root. */
  prefix: string;
  threadId: string;
}

/** The address of a file of the thread. */
export function fileUrl({ prefix, threadId }: FileOwner, path: string): string {
  const segments = path.replace(/^\//, "").split("/");
  return `${prefix}/api/threads/${threadId}/files/${segments.map(encodeURIComponent).join("/")}`;
}
