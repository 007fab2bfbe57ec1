// The list of a server's tools, as it is kept in memory: names, bounded texts and schemas. The list of a server is kept for some minutes in
// the isolate, so that a run that calls none of the server's tools sends no request.

import type { Tool } from "@modelcontextprotocol/sdk/types.js";

import { jsonObjectSchema } from "#contract/json.ts";
import type { JsonObject } from "#contract/json.ts";

import { outsideText, toolName } from "./outside-text.ts";

/** A tool of a server. */
export interface ListedTool {
  /** The name with which a model calls it. */
  name: string;
  /** The name on the server. */
  serverName: string;
  description: string;
  parameters: JsonObject;
  /** The schema of its structured results; null if it declares none. */
  resultSchema: JsonObject | null;
  /** Whether the server describes the tool as read-only or idempotent. */
  repeatable: boolean;
  /** Whether a call has to be a task, whose result is requested later. */
  isTask: boolean;
}

/** The maximum length of a description. */
const descriptionLimit = 2000;

/** Reads a list. `left` are the names of tools that are not offered, because an earlier tool has the same name. */
export async function readTools(
  tools: readonly Tool[],
  { prefix, allowed }: { prefix: string; allowed: readonly string[] | undefined },
): Promise<{ listed: ListedTool[]; left: string[] }> {
  const listed = new Map<string, ListedTool>();
  const left: string[] = [];
  for (const tool of tools) {
    if (allowed !== undefined && !allowed.includes(tool.name)) continue;
    const name = await toolName(prefix, tool.name);
    if (listed.has(name)) left.push(outsideText(tool.name, 100));
    else listed.set(name, listedTool(name, tool));
  }
  return { listed: [...listed.values()], left };
}

function listedTool(
  name: string,
  { name: serverName, description, inputSchema, outputSchema, ...tool }: Tool,
): ListedTool {
  const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
  return {
    name,
    serverName,
    description: outsideText(description ?? tool.title ?? "", descriptionLimit),
    parameters: asJson(inputSchema) ?? { type: "object" },
    resultSchema: asJson(outputSchema),
    isTask: tool.execution?.taskSupport === "required",
    repeatable: readOnlyHint === true || idempotentHint === true,
  };
}

function asJson(schema: unknown): JsonObject | null {
  return jsonObjectSchema.safeParse(schema).data ?? null;
}

/** Microseconds for which a list is used. */
const lifetime = 5 * 60 * 1_000_000;

/** The maximum number of lists in memory. */
const mostLists = 50;

/** The lists by server. The values are settled, so objects share them. */
const lists = new Map<string, { tools: readonly ListedTool[]; until: number }>();

/** The list of a server if it is in memory and not too old. */
export function keptList(key: string, now: number): readonly ListedTool[] | undefined {
  const kept = lists.get(key);
  if (kept !== undefined && kept.until > now) return kept.tools;
  lists.delete(key);
  return undefined;
}

/** Keeps a list. The oldest one is dropped if there are too many. */
export function keepList(key: string, tools: readonly ListedTool[], now: number): void {
  lists.delete(key);
  lists.set(key, { tools, until: now + lifetime });
  const [oldest] = lists.keys();
  if (lists.size > mostLists && oldest !== undefined) lists.delete(oldest);
}

/** Drops a list that changed on the server. */
export function dropList(key: string): void {
  lists.delete(key);
}
