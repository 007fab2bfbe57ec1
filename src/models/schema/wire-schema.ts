// Converts the normal form of a tool's arguments to a schema that a provider accepts, by the rules of the provider (wire-rules.ts). Contract: the
// result accepts every value that the given schema accepts; what the provider refuses is a sentence in the description.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { addSentence, sentenceOf } from "#core/schema/keyword-sentence.ts";
import { listOf, mergeAll, typesOf, typeValue, valuesOf } from "#core/schema/merge-schemas.ts";
import { allTypes, schemaPlaces, typeOfValue } from "#core/schema/schema-keyword.ts";

import type { WireRules } from "./wire-rules.ts";

/** The schema for a provider, with its own names. */
export function wireSchema(schema: JsonObject, rules: WireRules): JsonObject {
  return rules.convert?.(schema) ?? convert(schema, rules, true);
}

function convert(given: JsonObject, rules: WireRules, isRoot = false): JsonObject {
  let node = given;
  if (rules.patterns !== undefined) node = withoutPatterns(node, rules.patterns.accepts);
  if (rules.types !== undefined && !isRoot) node = withType(node);
  node = Object.fromEntries(
    Object.entries(node).map(([keyword, value]) => [keyword, convertInner(keyword, value, rules)]),
  );
  // The types are those that the schema states: a schema without a type allows objects and lists too.
  const types = node["type"] === undefined ? [] : typesOf(node);
  if (rules.objectProperties !== undefined && types.includes("object") && node["properties"] === undefined) {
    node = { ...node, properties: {} };
  }
  if (rules.listItems !== undefined && types.includes("array") && node["items"] === undefined) {
    node = { ...node, items: rules.types === undefined ? {} : flatValue };
  }
  return node;
}

function convertInner(keyword: string, value: Json, rules: WireRules): Json {
  const place = schemaPlaces.get(keyword);
  const inner = (schema: Json): Json => (isJsonObject(schema) ? convert(schema, rules) : schema);
  if (place === "one") return inner(value);
  if (place === "list") return listOf(value).map(inner);
  if (place !== "named" || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, inner(schema)]));
}

function withoutPatterns(node: JsonObject, accepts: (pattern: string) => boolean): JsonObject {
  const { pattern, ...unpatterned } = node;
  let result = node;
  if (typeof pattern === "string" && !accepts(pattern)) {
    const sentence = sentenceOf("pattern", node);
    result = sentence === null ? unpatterned : addSentence(unpatterned, sentence);
  }
  const { patternProperties, additionalProperties, ...rest } = result;
  if (!isJsonObject(patternProperties) || Object.keys(patternProperties).every(accepts)) return result;
  const kept = Object.entries(patternProperties).filter(([each]) => accepts(each));
  const left = Object.fromEntries(Object.entries(patternProperties).filter(([each]) => !accepts(each)));
  const closed = additionalProperties === false ? ["No other keys are allowed."] : [];
  const sentences = [sentenceOf("patternProperties", { patternProperties: left }) ?? "", ...closed];
  // A key may match a pattern that is left out, so other keys are allowed.
  const open = kept.length === 0 ? rest : { ...rest, patternProperties: Object.fromEntries(kept) };
  return sentences.reduce(addSentence, open as JsonObject);
}

/** An item of any type. Lists of lists are allowed in words, because each list needs the type of its items. */
const flatValue: JsonObject = {
  type: allTypes.filter((type) => type !== "array"),
  properties: {},
  description: "Items may be lists too.",
};

/** The schema with a type, which is not next to alternatives. */
function withType(node: JsonObject): JsonObject {
  const { anyOf, type, ...rest } = node;
  if (Array.isArray(anyOf)) {
    if (type === undefined) return node;
    const branches = anyOf.map((branch) => mergeAll([{ type }, branch as JsonObject])).filter((each) => each !== false);
    return branches.length === 0 ? { type, ...rest } : { ...rest, anyOf: branches };
  }
  if (type !== undefined) return node;
  const values = valuesOf(node);
  if (values !== undefined) return { type: typeValue(values.map(typeOfValue)), ...node };
  return { ...node, type: [...allTypes], items: node["items"] ?? flatValue };
}
