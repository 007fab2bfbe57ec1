// The normal form of a JSON Schema, in which models receive it: draft 2020-12 without references, without `allOf`, and without keywords
// that accept fewer values if a schema inside accepts more (`not`, `if`, `oneOf`, …). Contract: it accepts every value that the given schema
// accepts; what it cannot express is a sentence in a description.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

import { addSentence, sentenceOf } from "./keyword-sentence.ts";
import {
  atMost,
  isTooMuchWork,
  listOf,
  mergeAll,
  namesOf,
  typesOf,
  typeValue,
  valuesOf,
  workOf,
  type Node,
} from "./merge-schemas.ts";
import { annotations, isRegex, typeOfValue } from "./schema-keyword.ts";
import { uniteAll } from "./unite-schemas.ts";

/** The keywords that stay as they are. */
const plain = new Set([
  ...annotations,
  ..."type const enum required minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split(" "),
  ..."minLength maxLength pattern format minItems maxItems uniqueItems minProperties maxProperties".split(" "),
  "dependentRequired",
]);

/** The keywords that become sentences. */
const described = ["not", "if", "contains", "dependentSchemas", "contentSchema"];

/** The normal form of a schema without references; false if no value fits. */
export function normalSchema(schema: Json): Node {
  if (!isJsonObject(schema)) return schema === false ? false : {};
  const { allOf, anyOf, oneOf, ...own } = schema;
  const merged = mergeAll([
    ownRules(own),
    alternatives(listOf(anyOf).map(normalSchema), false),
    alternatives(listOf(oneOf).map(normalSchema), true),
    ...listOf(allOf).map(normalSchema),
  ]);
  const possible = merged === false ? false : withoutImpossible(merged);
  return possible === false ? false : withoutUnevaluated(possible, schema);
}

/** The schema without alternatives that its other keywords rule out. */
function withoutImpossible(node: JsonObject): Node {
  const { anyOf, ...outer } = node;
  if (!Array.isArray(anyOf) || isTooMuchWork(workOf(outer, anyOf as Node[]))) return node;
  const possible = anyOf.filter((branch) => mergeAll([outer, branch as JsonObject]) !== false);
  if (possible.length === anyOf.length) return node;
  const [only] = possible;
  if (only === undefined) return false;
  return possible.length === 1 ? mergeAll([outer, only as JsonObject]) : { ...node, anyOf: possible };
}

/** The rules of a schema itself, without those of its `allOf`, `anyOf` and `oneOf`, and without `unevaluatedProperties`. */
export function ownRules(schema: JsonObject): Node {
  if (isAny(schema["not"])) return false;
  let result: JsonObject = {};
  const sentences: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (plain.has(keyword)) result[keyword] = value;
  }
  for (const keyword of described) {
    const text = schema[keyword] === undefined ? null : sentenceOf(keyword, innerForms(schema, keyword));
    if (text !== null) sentences.push(text);
  }
  const steps = [cleanType, cleanValues, cleanNames, cleanPattern, cleanObject, cleanItems];
  for (const step of steps) {
    const next = step(result, schema, sentences);
    if (next === false) return false;
    result = next;
  }
  return sentences.filter((sentence) => sentence !== "").reduce(addSentence, inOrder(result, schema));
}

/** Whether every value fits a schema, as in `not: {}`, which nothing fits. */
function isAny(schema: Json | undefined): boolean {
  return schema === true || (isJsonObject(schema) && Object.keys(schema).length === 0);
}

/** The keywords in the order of the given schema. */
function inOrder(result: JsonObject, schema: JsonObject): JsonObject {
  const known = Object.keys(schema).filter((keyword) => result[keyword] !== undefined);
  return { ...Object.fromEntries(known.map((keyword) => [keyword, result[keyword] as Json])), ...result };
}

/** The schema with the normal forms of what a described keyword contains. */
function innerForms(schema: JsonObject, keyword: string): JsonObject {
  const names = keyword === "if" ? ["if", "then", "else"] : [keyword];
  const inner = names.flatMap((name): [string, Json][] => {
    const value = schema[name];
    if (value === undefined) return [];
    if (keyword !== "dependentSchemas" || !isJsonObject(value)) return [[name, normalSchema(value)]];
    return [[name, Object.fromEntries(Object.entries(value).map(([key, each]) => [key, normalSchema(each)]))]];
  });
  return { ...schema, ...Object.fromEntries(inner) };
}

type Step = (result: JsonObject, schema: JsonObject, sentences: string[]) => Node;

const cleanType: Step = (result) =>
  result["type"] === undefined ? result : { ...result, type: typeValue(typesOf(result)) };

const cleanValues: Step = (result) => {
  const { const: only, enum: values } = result;
  const isOnlyAllowed = only === undefined || isOfTypes(only, result);
  if (!isOnlyAllowed) return false;
  if (!Array.isArray(values)) return result;
  const different = [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
  const allowed = different.filter((value) => isOfTypes(value, result));
  return allowed.length === 0 ? false : { ...result, enum: allowed };
};

function isOfTypes(value: Json, schema: JsonObject): boolean {
  const types = typesOf(schema);
  const type = typeOfValue(value);
  return types.includes(type) || (type === "number" && types.includes("integer"));
}

const cleanNames: Step = (result) => {
  const { required, dependentRequired, ...rest } = result;
  const dependent = Object.entries(isJsonObject(dependentRequired) ? dependentRequired : {})
    .map(([name, names]): [string, Json[]] => [name, [...new Set(listOf(names))]])
    .filter(([, names]) => names.length > 0);
  return {
    ...rest,
    ...(listOf(required).length === 0 ? {} : { required: [...new Set(listOf(required))] }),
    ...(dependent.length === 0 ? {} : { dependentRequired: Object.fromEntries(dependent) }),
  };
};

const cleanPattern: Step = (result, schema, sentences) => {
  const { pattern, ...rest } = result;
  if (typeof pattern !== "string" || isRegex(pattern)) return result;
  const { format: _, ...unformatted } = schema;
  sentences.push(sentenceOf("pattern", unformatted) ?? "");
  return rest;
};

const cleanObject: Step = (result, schema, sentences) => {
  const { properties, patternProperties, propertyNames, additionalProperties } = schema;
  const required = new Set(listOf(result["required"]));
  const cleaned: JsonObject = { ...result };
  if (isJsonObject(properties)) {
    const kept: [string, JsonObject][] = [];
    for (const [name, value] of Object.entries(properties)) {
      const property = normalSchema(value);
      if (property !== false) kept.push([name, property]);
      else if (required.has(name)) return false;
      else sentences.push(`The key ${JSON.stringify(name)} must not be given.`);
    }
    cleaned["properties"] = Object.fromEntries(kept);
  }
  let isOpen = false;
  if (isJsonObject(patternProperties)) {
    const kept = Object.entries(patternProperties).flatMap(([pattern, value]): [string, JsonObject][] => {
      const node = normalSchema(value);
      if (node !== false && isRegex(pattern)) return [[pattern, node]];
      isOpen ||= node !== false;
      sentences.push(sentenceOf("patternProperties", { patternProperties: { [pattern]: node } }) ?? "");
      return [];
    });
    if (kept.length > 0) cleaned["patternProperties"] = Object.fromEntries(kept);
  }
  if (propertyNames !== undefined) {
    const names = normalSchema(propertyNames);
    if (names === false) cleaned["maxProperties"] = 0;
    else if (Object.keys(names).length > 0) cleaned["propertyNames"] = names;
  }
  if (additionalProperties === undefined || isOpen) return cleaned;
  if (additionalProperties === true) return { ...cleaned, additionalProperties };
  return { ...cleaned, additionalProperties: normalSchema(additionalProperties) };
};

const cleanItems: Step = (result, { items, prefixItems }) => {
  const prefix = listOf(prefixItems).map(normalSchema);
  const end = prefix.indexOf(false);
  const kept = (end === -1 ? prefix : prefix.slice(0, end)).filter((node) => node !== false);
  const rest = end === -1 ? (items === undefined ? undefined : normalSchema(items)) : false;
  const cleaned = { ...result, ...(kept.length === 0 ? {} : { prefixItems: kept }) };
  if (rest === false) return atMost(cleaned, kept.length);
  return rest === undefined ? cleaned : { ...cleaned, items: rest };
};

/** The alternatives as `anyOf`, without those that no value fits. */
function alternatives(nodes: readonly Node[], exactlyOne: boolean): Node {
  if (nodes.length === 0) return {};
  const possible = nodes.filter((node) => node !== false);
  const [only] = possible;
  if (only === undefined) return false;
  if (possible.length === 1) return only;
  const united = uniteAll(possible);
  return exactlyOne && !areDistinct(possible) ? addSentence(united, "Exactly one of the alternatives fits.") : united;
}

/** Whether no value can fit two of the schemas: they have different types, or a required key that has different values. */
function areDistinct(nodes: readonly JsonObject[]): boolean {
  const types = nodes.map(typesOf);
  const flat = types.flat().map((type) => (type === "integer" ? "number" : type));
  if (new Set(flat).size === flat.length) return true;
  const lists = nodes.map(valuesOf);
  if (areDisjoint(lists)) return true;
  const [first] = nodes;
  return namesOf(first?.["required"]).some((name) =>
    areDisjoint(
      nodes.map(({ properties, required }) => {
        const property = isJsonObject(properties) ? properties[name] : undefined;
        return isJsonObject(property) && listOf(required).includes(name) ? valuesOf(property) : undefined;
      }),
    ),
  );
}

function areDisjoint(lists: readonly (Json[] | undefined)[]): boolean {
  if (lists.includes(undefined)) return false;
  const all = lists.flat().map((value) => JSON.stringify(value));
  return new Set(all).size === all.length;
}

/** Converts `unevaluatedProperties: false` to a rule that this form has, if no alternative decides which keys are evaluated. */
export function withoutUnevaluated(node: JsonObject, schema: JsonObject): JsonObject {
  const { unevaluatedProperties, ...others } = schema;
  const isExact = unevaluatedProperties === false && isFlat(schema) && node["anyOf"] === undefined;
  if (!isExact) return addWords(node, unevaluatedWords(schema));
  const closed = { ...node, additionalProperties: node["additionalProperties"] ?? false };
  return addWords(closed, unevaluatedWords(others));
}

function addWords(node: JsonObject, { description }: JsonObject): JsonObject {
  return typeof description === "string" ? addSentence(node, description) : node;
}

/** The rules about what no other keyword evaluates, as a description. */
export function unevaluatedWords(schema: JsonObject): JsonObject {
  let result: JsonObject = {};
  for (const keyword of ["unevaluatedProperties", "unevaluatedItems"]) {
    const value = schema[keyword];
    if (value === undefined || value === true) continue;
    const sentence = sentenceOf(keyword, { [keyword]: normalSchema(value) });
    if (sentence !== null) result = addSentence(result, sentence);
  }
  return result;
}

/** Whether a schema, and those of its `allOf`, have no alternatives and no conditions. */
function isFlat(schema: Json): boolean {
  if (!isJsonObject(schema)) return true;
  const hasMore = ["anyOf", "oneOf", "if", "dependentSchemas", "patternProperties"].some(
    (keyword) => schema[keyword] !== undefined,
  );
  return !hasMore && listOf(schema["allOf"]).every(isFlat);
}
