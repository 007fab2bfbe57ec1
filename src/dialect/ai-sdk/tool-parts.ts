// Tool calls and their results as AI SDK UI shows them.

import type { Json } from "#contract/json.ts";
import type { Message } from "#contract/thread-message.ts";
import { resultValue } from "#lib/json-value.ts";
import { readTool } from "#spec/define-tool.ts";
import type { Registry } from "#spec/registry.ts";

/** Whether the server runs a tool. The client runs all others, and `useChat` offers their calls to `onToolCall`. */
export type IsServerTool = (name: string) => boolean;

/** Reads which tools the server runs: those of the project that have a function, its prompts and its agents. */
export async function readServerTools({ tools, prompts, agents }: Registry): Promise<IsServerTool> {
  const loaded = await Promise.all(Object.entries(tools).map(async ([name, load]) => ({ name, tool: await load() })));
  const remote = new Set(loaded.filter(({ tool }) => readTool(tool).run === undefined).map(({ name }) => name));
  return (name) =>
    !remote.has(name) && [tools, prompts, agents].some((definitions) => Object.hasOwn(definitions, name));
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
