// Merges schemas that a value has to fit together (`allOf`) to one schema. Contract: the merged schema accepts every value that all of the
// given schemas accept. A rule that the merged schema cannot express is a sentence in its description. The schemas are in normal form inside
// (see normal-form.ts): without references, and without keywords that accept fewer values if a schema inside accepts more.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { canonicalJson } from "#lib/canonical-json.ts";

import { addSentence, joinTexts, sentenceOf } from "./keyword-sentence.ts";
import { allTypes, typeOfValue } from "./schema-keyword.ts";

/** A schema in normal form; false if no value fits. */
export type Node = JsonObject | false;

/** Merges the schemas. Halves are merged first, because the merge of two schemas copies both. */
export function mergeAll(nodes: readonly Node[]): Node {
  const [first = {}, second] = nodes;
  if (second === undefined) return first;
  if (nodes.length === 2) return merge(first, second);
  const middle = nodes.length >> 1;
  return merge(mergeAll(nodes.slice(0, middle)), mergeAll(nodes.slice(middle)));
}

/** The number of keys that merges of alternatives with a schema around them may visit. */
const mostWork = 20_000;

/** How many keys the merges of alternatives with the schema around them visit. */
export function workOf(outer: Node, branches: readonly Node[]): number {
  const keysOf = (node: Node): number =>
    node !== false && isJsonObject(node["properties"]) ? Object.keys(node["properties"]).length + 1 : 1;
  return branches.length * branches.reduce((sum, branch) => sum + keysOf(branch), keysOf(outer));
}

/** Whether merges visit too many keys. The alternatives are then described in words. */
export function isTooMuchWork(work: number): boolean {
  return work > mostWork;
}

/** The number of values in a schema. The count ends above `most`. */
export function sizeOf(schema: Json, most = Infinity): number {
  let size = 0;
  const waiting: Json[] = [schema];
  for (let next = waiting.pop(); next !== undefined && size <= most; next = waiting.pop()) {
    size += 1;
    if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) waiting.push(inner);
  }
  return size;
}

/** Whether two JSON values are equal, including the order of their keys. */
export function isSame(first: Json | undefined, second: Json | undefined): boolean {
  return first === second || JSON.stringify(first) === JSON.stringify(second);
}

function merge(first: Node, second: Node): Node {
  if (first === false || second === false) return false;
  if (Object.keys(first).length === 0) return second;
  if (Object.keys(second).length === 0) return first;
  const result: JsonObject = { ...first };
  for (const keyword of groups) Reflect.deleteProperty(result, keyword);
  const left: string[] = [];
  for (const [keyword, value] of Object.entries(second)) {
    if (groups.has(keyword)) continue;
    const known = result[keyword];
    const merged = known === undefined || isSame(known, value) ? value : combine(keyword, known, value);
    if (merged === undefined) left.push(keyword);
    else result[keyword] = merged;
  }
  if (result["propertyNames"] === false) {
    delete result["propertyNames"];
    result["maxProperties"] = 0;
  }
  const withGroups = [mergeTypes, mergeValues, mergeObjects, mergeLists].reduce<Node>(
    (node, step) => (node === false ? false : step(node, first, second)),
    result,
  );
  if (withGroups === false) return false;
  return left.reduce<JsonObject>((node, keyword) => {
    const sentence = sentenceOf(keyword, second);
    return sentence === null ? node : addSentence(node, sentence);
  }, withGroups);
}

/** Keywords that are merged together with others. */
const groups = new Set(
  "type const enum properties additionalProperties patternProperties required items prefixItems".split(" "),
);

/** The value of a keyword for which both schemas have different values; undefined if one value cannot express both. */
function combine(keyword: string, first: Json, second: Json): Json | undefined {
  if (/^(?:exclusiveMinimum|min[A-Z]\w+|minimum)$/.test(keyword)) return Math.max(Number(first), Number(second));
  if (/^(?:exclusiveMaximum|max[A-Z]\w+|maximum)$/.test(keyword)) return Math.min(Number(first), Number(second));
  switch (keyword) {
    case "description":
      return joinTexts(first, second);
    case "title":
      return first;
    case "uniqueItems":
    case "deprecated":
    case "readOnly":
    case "writeOnly":
      return first === true || second === true;
    case "multipleOf":
      if (Number(first) % Number(second) === 0) return first;
      return Number(second) % Number(first) === 0 ? second : undefined;
    case "dependentRequired":
      return mergeNames(first, second);
    case "propertyNames":
      return merge(first as JsonObject, second as JsonObject);
    default:
      return undefined;
  }
}

function mergeNames(first: Json, second: Json): JsonObject {
  const result: JsonObject = isJsonObject(first) ? { ...first } : {};
  for (const [name, names] of Object.entries(isJsonObject(second) ? second : {})) {
    result[name] = [...new Set([...listOf(result[name]), ...listOf(names)])];
  }
  return result;
}

/** The list that a keyword has as its value; empty for another value. */
export function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** The texts in a list, such as the names of `required`. */
export function namesOf(value: Json | undefined): string[] {
  return listOf(value).filter((name) => typeof name === "string");
}

/** The types that a schema allows. `number` includes `integer`. */
export function typesOf({ type }: JsonObject): string[] {
  if (type === undefined) return [...allTypes];
  return (Array.isArray(type) ? type : [type]).map(String);
}

/** A list of types as the value of `type`, without types that another one includes. */
export function typeValue(types: readonly string[]): Json {
  const all = [...new Set(types)].filter((type) => type !== "integer" || !types.includes("number"));
  return all.length === 1 ? (all[0] ?? null) : all;
}

function mergeTypes(node: JsonObject, first: JsonObject, second: JsonObject): Node {
  if (first["type"] === undefined && second["type"] === undefined) return node;
  const [one, other] = [typesOf(first), typesOf(second)];
  const both = one.flatMap((type) => {
    if (other.includes(type) || (type === "integer" && other.includes("number"))) return [type];
    return type === "number" && other.includes("integer") ? ["integer"] : [];
  });
  return both.length === 0 ? false : { type: typeValue(both), ...node };
}

/** The values that a schema allows; undefined without `const` and `enum`. */
export function valuesOf({ const: only, enum: values }: JsonObject): Json[] | undefined {
  if (only !== undefined) return [only];
  return Array.isArray(values) ? values : undefined;
}

function mergeValues(node: JsonObject, first: JsonObject, second: JsonObject): Node {
  const [one, other] = [valuesOf(first), valuesOf(second)];
  const known = one ?? other;
  if (known === undefined) return node;
  const others = new Set((other ?? known).map((value) => canonicalJson(value)));
  const both = known.filter((value) => others.has(canonicalJson(value)));
  const types = typesOf(node);
  const allowed = both.filter((value) => {
    const type = typeOfValue(value);
    return types.includes(type) || (type === "number" && types.includes("integer"));
  });
  if (allowed.length === 0) return false;
  const [only] = allowed;
  const isConst = first["const"] !== undefined || second["const"] !== undefined;
  return isConst && only !== undefined && allowed.length === 1 ? { ...node, const: only } : { ...node, enum: allowed };
}

/** Whether a schema states something about the keys of an object. */
function hasKeys(node: JsonObject): boolean {
  return ["properties", "additionalProperties", "patternProperties", "required"].some((key) => node[key] !== undefined);
}

function mergeObjects(node: JsonObject, first: JsonObject, second: JsonObject): Node {
  if (!hasKeys(first) && !hasKeys(second)) return node;
  const result = { ...node };
  const both = [first, second] as const;
  const required = new Set(both.flatMap((each) => listOf(each["required"])));
  const names = new Set(
    both.flatMap((each) => Object.keys(isJsonObject(each["properties"]) ? each["properties"] : {})),
  );
  const properties: [string, JsonObject][] = [];
  for (const name of names) {
    const property = mergeAll(both.map((each) => propertyOf(each, name)));
    if (property !== false) properties.push([name, property]);
    else if (required.has(name)) return false;
  }
  const isPresent = both.some((each) => each["properties"] !== undefined);
  if (isPresent) result["properties"] = Object.fromEntries(properties);
  if (required.size > 0) result["required"] = [...required];
  const patterns = mergePatterns(first["patternProperties"], second["patternProperties"]);
  if (patterns !== undefined) result["patternProperties"] = patterns;
  const others = both.flatMap((each) => each["additionalProperties"] ?? []);
  if (others.length === 0) return result;
  const merged = mergeAll(others.map((each) => (each === true ? {} : (each as Node))));
  const isTrue = merged !== false && Object.keys(merged).length === 0 && others.includes(true);
  return { ...result, additionalProperties: isTrue || merged };
}

/** What a schema states about a key. */
export function propertyOf({ properties, additionalProperties, patternProperties }: JsonObject, name: string): Node {
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return properties[name] as JsonObject;
  if (patternProperties !== undefined || additionalProperties === undefined) return {};
  if (additionalProperties === false) return false;
  return isJsonObject(additionalProperties) ? additionalProperties : {};
}

function mergePatterns(first: Json | undefined, second: Json | undefined): JsonObject | undefined {
  if (!isJsonObject(first) || !isJsonObject(second))
    return isJsonObject(first) ? first : isJsonObject(second) ? second : undefined;
  const result: JsonObject = { ...first };
  for (const [pattern, schema] of Object.entries(second)) {
    const known = result[pattern];
    const merged = known === undefined ? (schema as Node) : merge(known as JsonObject, schema as JsonObject);
    if (merged === false) Reflect.deleteProperty(result, pattern);
    else result[pattern] = merged;
  }
  return result;
}

function mergeLists(node: JsonObject, first: JsonObject, second: JsonObject): Node {
  const both = [first, second] as const;
  if (both.every((each) => each["items"] === undefined && each["prefixItems"] === undefined)) return node;
  const result = { ...node };
  const length = Math.max(...both.map((each) => listOf(each["prefixItems"]).length));
  const prefix: JsonObject[] = [];
  let isShort = false;
  for (let at = 0; at < length && !isShort; at += 1) {
    const item = mergeAll(both.map((each) => itemAt(each, at)));
    if (item === false) isShort = true;
    else prefix.push(item);
  }
  const rest = isShort ? false : mergeAll(both.map((each) => itemAt(each, Infinity)));
  if (prefix.length > 0) result["prefixItems"] = prefix;
  const isStated = both.some((each) => each["items"] !== undefined);
  if (rest !== false) return isStated ? { ...result, items: rest } : result;
  return atMost(result, prefix.length);
}

/** The schema of a list with at most this many items. */
export function atMost(node: JsonObject, items: number): JsonObject {
  const { maxItems } = node;
  return { ...node, maxItems: typeof maxItems === "number" ? Math.min(maxItems, items) : items };
}

function itemAt({ prefixItems, items }: JsonObject, at: number): Node {
  const own = listOf(prefixItems)[at];
  if (own !== undefined) return own as JsonObject;
  if (items === undefined || items === true) return {};
  return items === false ? false : (items as JsonObject);
}
