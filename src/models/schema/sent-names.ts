// Names of keys that a provider refuses in a schema, and the names that are sent in their place. The schema of a tool, the arguments of its
// earlier calls, and the arguments that the model writes are converted by the same table, so that a tool receives its own names. Contract: what
// `restoredArguments` returns for the result of `sentArguments` is the given value, for every value that fits the schema.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { addSentence } from "#core/schema/keyword-sentence.ts";
import { listOf } from "#core/schema/merge-schemas.ts";
import { schemaPlaces } from "#core/schema/schema-keyword.ts";

/** Whether a provider accepts a name. `isRoot`: it is the name of an argument; otherwise a name inside of an argument. */
export type AcceptsName = (name: string, isRoot: boolean) => boolean;

/** The names of an object's keys that are changed, with the names that are sent. */
type Names = ReadonlyMap<string, string>;

const longestName = 64;

/** The node and its alternatives, which are about the same value. */
function nodesOf(node: Json): JsonObject[] {
  return isJsonObject(node) ? [node, ...listOf(node["anyOf"]).flatMap(nodesOf)] : [];
}

/** The changed names of the object that the nodes are about. */
function namesOf(nodes: readonly JsonObject[], accepts: AcceptsName, isRoot: boolean): Names {
  const all = nodes.flatMap(({ properties }) => (isJsonObject(properties) ? Object.keys(properties) : []));
  const refused = new Set(all.filter((name) => !accepts(name, isRoot)));
  if (refused.size === 0) return none;
  const taken = new Set(all);
  const names = new Map<string, string>();
  for (const name of refused) {
    const letters = name.replaceAll(/\W/g, "_");
    const base = /^[a-z_]/i.test(letters) ? letters : `_${letters}`;
    let free = base.slice(0, longestName);
    for (let number = 2; taken.has(free); number += 1) {
      const end = `_${number}`;
      free = `${base.slice(0, longestName - end.length)}${end}`;
    }
    taken.add(free);
    names.set(name, free);
  }
  return names;
}

const none: Names = new Map();

/** The schema with names that the provider accepts. The description of a renamed argument contains its own name. */
export function schemaWithSentNames(schema: JsonObject, accepts: AcceptsName): JsonObject {
  return renamed(schema, accepts, { isRoot: true });
}

/** `names` are those of the node whose alternative this one is. */
function renamed(
  node: JsonObject,
  accepts: AcceptsName,
  { isRoot = false, names = namesOf(nodesOf(node), accepts, isRoot) }: { isRoot?: boolean; names?: Names },
): JsonObject {
  const inner = (value: Json): Json => (isJsonObject(value) ? renamed(value, accepts, {}) : value);
  const sentValue = (value: Json): Json => converted(value, nodesOf(node), { accepts, isRoot, isSent: true });
  const nameOf = (name: Json): Json => (typeof name === "string" ? (names.get(name) ?? name) : name);
  const entries = Object.entries(node).map(([keyword, value]): [string, Json] => {
    if (keyword === "anyOf") {
      return [keyword, listOf(value).map((each) => (isJsonObject(each) ? renamed(each, accepts, { names }) : each))];
    }
    if (keyword === "const" || keyword === "default") return [keyword, sentValue(value)];
    if (keyword === "enum" || keyword === "examples") return [keyword, listOf(value).map(sentValue)];
    if (keyword === "required") return [keyword, listOf(value).map(nameOf)];
    if (keyword === "dependentRequired" && isJsonObject(value)) {
      const pairs = Object.entries(value).map(([name, list]): [string, Json] => [
        names.get(name) ?? name,
        listOf(list).map(nameOf),
      ]);
      return [keyword, Object.fromEntries(pairs)];
    }
    const place = schemaPlaces.get(keyword);
    if (place === "one") return [keyword, inner(value)];
    if (place === "list") return [keyword, listOf(value).map(inner)];
    if (place !== "named" || !isJsonObject(value)) return [keyword, value];
    const isProperties = keyword === "properties";
    return [
      keyword,
      Object.fromEntries(
        Object.entries(value).map(([name, schema]) => {
          const sent = isProperties ? names.get(name) : undefined;
          return sent === undefined ? [name, inner(schema)] : [sent, withOwnName(inner(schema), name)];
        }),
      ),
    ];
  });
  return Object.fromEntries(entries);
}

function withOwnName(schema: Json, name: string): Json {
  if (!isJsonObject(schema)) return schema;
  return addSentence(schema, `Descriptions and errors call this key ${JSON.stringify(name)}.`);
}

/** Whether a schema has a name that the provider refuses. */
export function hasRefusedNames(schema: Json, accepts: AcceptsName, isRoot = true): boolean {
  if (Array.isArray(schema)) return schema.some((each) => hasRefusedNames(each, accepts, isRoot));
  if (!isJsonObject(schema)) return false;
  if (namesOf([schema], accepts, isRoot).size > 0) return true;
  return Object.entries(schema).some(([keyword, value]) => {
    if (keyword === "anyOf") return hasRefusedNames(value, accepts, isRoot);
    const place = schemaPlaces.get(keyword);
    if (place === "named" && isJsonObject(value)) return hasRefusedNames(Object.values(value), accepts, false);
    return place !== undefined && hasRefusedNames(value, accepts, false);
  });
}

/** The arguments of a call with the names that are sent. */
export function sentArguments(value: Json, schema: JsonObject, accepts: AcceptsName): Json {
  return converted(value, nodesOf(schema), { accepts, isRoot: true, isSent: true });
}

/** The arguments of a call with the names of the tool. */
export function restoredArguments(value: Json, schema: JsonObject, accepts: AcceptsName): Json {
  return converted(value, nodesOf(schema), { accepts, isRoot: true, isSent: false });
}

interface Direction {
  accepts: AcceptsName;
  isRoot: boolean;
  isSent: boolean;
}

function converted(value: Json, nodes: readonly JsonObject[], to: Direction): Json {
  if (nodes.length === 0) return value;
  const inside = { ...to, isRoot: false };
  if (Array.isArray(value)) {
    const items = nodes.flatMap(({ items: each = null }) => nodesOf(each));
    const prefix = (at: number): JsonObject[] =>
      nodes.flatMap(({ prefixItems }) => nodesOf(listOf(prefixItems)[at] ?? null));
    return value.map((item, at) => converted(item, [...prefix(at), ...items], inside));
  }
  if (!isJsonObject(value)) return value;
  const names = namesOf(nodes, to.accepts, to.isRoot);
  const owners = new Map([...names].map(([name, sent]) => [sent, name]));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const own = to.isSent ? key : (owners.get(key) ?? key);
      const schemas = nodes.flatMap((node) => nodesOf(schemaOfKey(node, own)));
      return [to.isSent ? (names.get(key) ?? key) : own, converted(inner, schemas, inside)];
    }),
  );
}

function schemaOfKey({ properties, additionalProperties = null }: JsonObject, key: string): Json {
  const named = isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return named ?? additionalProperties;
}
