// The list of a server's tools, as it is kept in memory: names, bounded texts and schemas. The list of a server is kept for some minutes in
// the isolate, so that a run that calls none of the server's tools sends no request.

import type { Tool } from "@modelcontextprotocol/sdk/types.js";

import type { JsonObject } from "#contract/json.ts";

import { outsideText, toolName } from "../outside-text.ts";
import { outsideSchema } from "./outside-schema.ts";
import type { Feature } from "./server-features.ts";

/** A tool of a server. */
export interface ListedTool {
  /** The name with which a model calls the tool. */
  name: string;
  /** The name of the tool on the server. */
  serverName: string;
  description: string;
  parameters: JsonObject;
  /** The schema of the tool's structured results; null if the tool declares none. */
  resultSchema: JsonObject | null;
  /** Whether the server describes the tool as read-only or idempotent. */
  repeatable: boolean;
  /** The request that the tool sends instead of `tools/call`. Absent: the tool sends a call. */
  feature?: Feature;
  /** Whether a call has to be a task, whose result is requested later. */
  isTask: boolean;
}

/** The maximum length of a description. */
const descriptionLimit = 2000;

/** The maximum number of UTF-16 units of the schemas of a list. */
const mostUnits = 2 * 1024 * 1024;

/** A list of tools as it is kept in memory. */
export interface ToolList {
  tools: readonly ListedTool[];
  /** The number of UTF-16 units of the schemas. */
  units: number;
}

interface ListOptions {
  prefix: string;
  /** The names of the server's tools that are offered. Undefined: all. */
  allowed: readonly string[] | undefined;
  /** The tools that send requests other than `tools/call`. */
  features: readonly ListedTool[];
}

/**
 * Reads a list. `omitted` are the names of tools that are not offered: an earlier tool has the same name, a schema is too large or too deep,
 * or the schemas together are too large.
 */
export async function readTools(
  tools: readonly Tool[],
  { prefix, allowed, features }: ListOptions,
): Promise<{ list: ToolList; omitted: string[] }> {
  const listed = new Map<string, ListedTool>();
  const omitted: string[] = [];
  let units = 0;
  for (const tool of tools) {
    if (allowed !== undefined && !allowed.includes(tool.name)) continue;
    const name = await toolName(prefix, tool.name);
    const parameters = outsideSchema(tool.inputSchema);
    const result = tool.outputSchema === undefined ? { schema: null, units: 0 } : outsideSchema(tool.outputSchema);
    const added = (parameters?.units ?? 0) + (result?.units ?? 0);
    if (listed.has(name) || parameters === null || result === null || units + added > mostUnits) {
      omitted.push(outsideText(tool.name, 100));
      continue;
    }
    units += added;
    listed.set(name, { name, ...toolFacts(tool), parameters: parameters.schema, resultSchema: result.schema });
  }
  // A tool of the server has precedence over a feature with the same name.
  for (const feature of features) if (!listed.has(feature.name)) listed.set(feature.name, feature);
  return { list: { tools: [...listed.values()], units }, omitted };
}

function toolFacts(tool: Tool): Pick<ListedTool, "serverName" | "description" | "isTask" | "repeatable"> {
  const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
  return {
    serverName: tool.name,
    description: outsideText(tool.description ?? tool.title ?? "", descriptionLimit),
    isTask: tool.execution?.taskSupport === "required",
    repeatable: readOnlyHint === true || idempotentHint === true,
  };
}

/** The time in microseconds for which a list is used. */
const lifetime = 5 * 60 * 1_000_000;

/** The maximum number of lists in memory, and of the UTF-16 units of their schemas. */
const mostLists = 50;
const mostKeptUnits = 8 * 1024 * 1024;

/** The lists in memory. The values are data without promises, so the objects of an isolate can share them. */
const lists = new Map<string, ToolList & { until: number }>();

/** Returns the list of a server if it is in memory and not too old. */
export function keptList(key: string, now: number): readonly ListedTool[] | undefined {
  const kept = lists.get(key);
  if (kept !== undefined && kept.until > now) return kept.tools;
  lists.delete(key);
  return undefined;
}

/** Stores a list in memory. If there are too many lists, the oldest ones are removed. */
export function keepList(key: string, list: ToolList, now: number): void {
  lists.delete(key);
  lists.set(key, { ...list, until: now + lifetime });
  let units = [...lists.values()].reduce((sum, each) => sum + each.units, 0);
  for (const [oldest, each] of lists) {
    if (lists.size <= mostLists && units <= mostKeptUnits) return;
    lists.delete(oldest);
    units -= each.units;
  }
}

/** Removes a list that changed on the server from memory. */
export function dropList(key: string): void {
  lists.delete(key);
}
