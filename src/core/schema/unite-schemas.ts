// Unites schemas of which a value has to fit at least one to one schema. Contract: the united schema accepts every value that one of the given
// schemas accepts.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

import { joinTexts } from "./keyword-sentence.ts";
import { isSame, propertyOf, typesOf, typeValue, valuesOf } from "./merge-schemas.ts";

/** Unites schemas of any type: lists of values become one list, and other different schemas become `anyOf`. */
export function uniteAll(nodes: readonly JsonObject[]): JsonObject {
  const seen = new Set<string>();
  const different = [...new Set(nodes)].filter((node) => {
    const text = JSON.stringify(node);
    return !seen.has(text) && seen.add(text) !== undefined;
  });
  const needed = withoutIncluded(different);
  const [first] = needed;
  if (first === undefined || needed.length === 1) return first ?? {};
  return uniteValues(needed) ?? { anyOf: [...needed] };
}

/** Up to this number of schemas each one is compared with all others. */
const fewSchemas = 8;

/** The schemas without those that have every keyword of another one, which therefore accepts all of their values. */
function withoutIncluded(nodes: readonly JsonObject[]): readonly JsonObject[] {
  if (nodes.length > fewSchemas) return nodes;
  const includes = (wide: JsonObject, narrow: JsonObject): boolean => {
    // The texts of a schema that is left out would be lost.
    const keywords = new Set([...Object.keys(wide), "title", "description"]);
    return Object.keys(wide).length > 0 && [...keywords].every((keyword) => isSame(narrow[keyword], wide[keyword]));
  };
  return nodes.filter((node, at) => {
    // Two schemas include each other only if they differ in the order of their keywords.
    return !nodes.some((other, index) => includes(other, node) && (index < at || !includes(node, other)));
  });
}

/** Lists of values as one list; undefined if a schema states more than values. */
function uniteValues(nodes: readonly JsonObject[]): JsonObject | undefined {
  const isList = nodes.every((node) =>
    Object.keys(node).every((key) => ["type", "const", "enum", "description", "title"].includes(key)),
  );
  const lists = nodes.map(valuesOf);
  if (!isList || lists.includes(undefined)) return undefined;
  const values = [...new Map(lists.flat().map((value) => [JSON.stringify(value), value as Json])).values()];
  const isTyped = nodes.every(({ type }) => type !== undefined);
  const description = nodes.reduce<string | undefined>((text, node) => joinTexts(text, node["description"]), undefined);
  return {
    ...(isTyped ? { type: typeValue(nodes.flatMap(typesOf)) } : {}),
    enum: values,
    ...(description === undefined ? {} : { description }),
  };
}

/** Unites schemas of objects to one schema with the properties of all of them. Only properties that each requires are required. */
export function uniteObjects(nodes: readonly JsonObject[]): JsonObject {
  const [first, ...others] = nodes;
  if (first === undefined || others.length === 0) return first ?? {};
  const result: JsonObject = {};
  for (const [keyword, value] of Object.entries(first)) {
    const isShared = others.every((node) => isSame(node[keyword], value));
    if (isShared && !/^(?:properties|required|additionalProperties)$/.test(keyword)) result[keyword] = value;
  }
  const names = new Set(nodes.flatMap(({ properties }) => Object.keys(isJsonObject(properties) ? properties : {})));
  result["properties"] = Object.fromEntries([...names].map((name) => [name, uniteProperty(nodes, name)]));
  const required = nodes.map((node) => new Set(Array.isArray(node["required"]) ? node["required"] : []));
  const shared = [...(required[0] ?? [])].filter((name) => required.every((each) => each.has(name)));
  if (shared.length > 0) result["required"] = shared;
  const { additionalProperties } = first;
  // A key may match a pattern of one schema, and no pattern of the united schema.
  const hasPatterns = nodes.some((node) => !isSame(node["patternProperties"], result["patternProperties"]));
  const isShared = others.every((node) => isSame(node["additionalProperties"], additionalProperties));
  if (additionalProperties !== undefined && isShared && !hasPatterns) {
    result["additionalProperties"] = additionalProperties;
  }
  return result;
}

/** What the schemas state about a key. A schema that has other keys does not restrict it. */
function uniteProperty(nodes: readonly JsonObject[], name: string): JsonObject {
  const stated = nodes.map((node) => propertyOf(node, name)).filter((node) => node !== false);
  const restricted = stated.filter((node) => Object.keys(node).length > 0);
  return uniteAll(restricted.length < stated.length ? [...restricted, {}] : restricted);
}
