// The list of a server's tools, as it is kept in memory: names, bounded texts and schemas. The list of a server is kept for some minutes in
// the isolate, so that a run that calls none of the server's tools sends no request.

import { isJsonObject } from "#contract/json.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { fieldsOf, isEmptyList, isObject } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";

import { outsideText, toolName } from "../outside-text.ts";
import { outsideSchema } from "./outside-schema.ts";
import { neededText, readItems, textIn, UnreadableItem } from "./read-items.ts";
import type { OmittedItems } from "./read-items.ts";
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
  /** Whether the server describes the tool as read-only. */
  isReading: boolean;
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
  /** The reason why further tools of the server are not listed. Absent or null: all are listed. */
  problem?: string | null;
}

/** The maximum number of tools of a list, and the maximum length of a tool's name on its server. */
export const mostTools = 1000;
const nameLimit = 500;

/** A tool of a list before its schemas are cleaned. */
interface GivenTool extends Pick<ListedTool, "serverName" | "description" | "isTask" | "repeatable" | "isReading"> {
  inputSchema: Fields;
  outputSchema: Fields | null;
}

/**
 * Reads the elements of a list of tools. `omitted` are the tools that are not offered: the element cannot be read, an earlier tool has the
 * same name, a schema is too large or too deep, or the schemas together are too large.
 */
export async function readTools(
  tools: readonly unknown[],
  { prefix, allowed, features, problem = null }: ListOptions,
): Promise<{ list: ToolList; omitted: OmittedItems }> {
  const listed = new Map<string, ListedTool>();
  const nameOf = (item: Fields): unknown => item["name"];
  const { items, omitted } = readItems(tools, { list: "tools", kind: "tool", most: mostTools, read: readTool, nameOf });
  let units = 0;
  for (const { inputSchema, outputSchema, ...tool } of items) {
    const { serverName } = tool;
    if (allowed !== undefined && !allowed.includes(serverName)) continue;
    const name = await toolName(prefix, serverName);
    const parameters = outsideSchema(inputSchema);
    const result = outputSchema === null ? { schema: null, units: 0 } : outsideSchema(outputSchema);
    const added = (parameters?.units ?? 0) + (result?.units ?? 0);
    if (listed.has(name)) omitted.add(serverName, "An earlier tool has the same name.");
    else if (parameters === null) omitted.add(serverName, "`inputSchema` is too large, or nested too deeply.");
    else if (result === null) omitted.add(serverName, "`outputSchema` is too large, or nested too deeply.");
    else if (units + added > mostUnits) omitted.add(serverName, "The schemas of the tools are too large together.");
    else {
      units += added;
      const schemas = { parameters: withoutFlags(parameters.schema), resultSchema: result.schema };
      listed.set(name, { name, ...tool, ...schemas });
    }
  }
  if (problem !== null) omitted.add("the rest of the list", problem);
  // A tool of the server has precedence over a feature with the same name.
  for (const feature of features) if (!listed.has(feature.name)) listed.set(feature.name, feature);
  return { list: { tools: [...listed.values()], units }, omitted };
}

/** Reads an element of a list. A field of a wrong type that a call does not need is ignored. */
function readTool(item: Fields): GivenTool {
  const { readOnlyHint, idempotentHint } = fieldsOf(item["annotations"]);
  const { outputSchema } = item;
  return {
    serverName: neededText(item, "name", nameLimit),
    description: outsideText(textIn(item, "description") ?? textIn(item, "title") ?? "", descriptionLimit),
    isTask: fieldsOf(item["execution"])["taskSupport"] === "required",
    repeatable: readOnlyHint === true || idempotentHint === true,
    isReading: readOnlyHint === true,
    inputSchema: argumentSchema(item["inputSchema"]),
    outputSchema: isObject(outputSchema) ? outputSchema : null,
  };
}

/** The schema of a tool's arguments. A tool without a schema, or with one that accepts everything, takes an object of any fields. */
function argumentSchema(given: unknown): Fields {
  if (given === undefined || given === null || given === true || isEmptyList(given)) return { type: "object" };
  if (!isObject(given)) throw new UnreadableItem("`inputSchema` is no object.");
  // The arguments of a call are an object. Some servers send null for absent fields.
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  return { type: "object", ...fields };
}

/** Replaces the schemas `true` and `false` of properties by schemas that are objects, because some providers refuse the short forms. */
function withoutFlags(schema: JsonObject): JsonObject {
  const { properties, items } = schema;
  const inner = (value: Json): Json => {
    if (typeof value === "boolean") return value ? {} : { not: {} };
    return isJsonObject(value) ? withoutFlags(value) : value;
  };
  return {
    ...schema,
    ...(isJsonObject(properties)
      ? { properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, inner(value)])) }
      : {}),
    ...(items === undefined ? {} : { items: Array.isArray(items) ? items.map(inner) : inner(items) }),
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
