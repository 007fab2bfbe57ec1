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
  const [first] = different;
  if (first === undefined || different.length === 1) return first ?? {};
  return uniteValues(different) ?? { anyOf: different };
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
