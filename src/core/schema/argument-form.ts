// The normal form of the arguments of a tool (see normal-form.ts). Providers refuse a schema with alternatives or conditions at its root, so
// they are united there: the object has the properties of all alternatives, and requires those that each alternative requires. A sentence in
// the description says which alternatives there are.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

import { addSentence, sentenceOf } from "./keyword-sentence.ts";
import { isTooMuchWork, listOf, mergeAll, sizeOf, typesOf, valuesOf, workOf, type Node } from "./merge-schemas.ts";
import { normalSchema, ownRules, unevaluatedWords, withoutUnevaluated } from "./normal-form.ts";
import { resolveSchema, UnusableSchema, type ResolveOptions } from "./resolve-schema.ts";
import { typeOfKeyword } from "./schema-keyword.ts";
import { uniteObjects } from "./unite-schemas.ts";

/** The normal form of the arguments of a tool: an object whose schema has `properties` and no other keyword than those of `rootKeywords`. */
function argumentSchema(schema: JsonObject): Node {
  const { base, groups } = splitRoot(schema);
  let node = mergeAll([{ type: "object" }, ...base]);
  const sentences: string[] = [];
  let work = 0;
  // Each group may double what the schema states about a key, so 20 conditions on one key would become a million alternatives.
  const mostValues = 4 * sizeOf(schema) + 2000;
  for (const { branches, sentence } of groups) {
    const outer = node;
    if (outer === false) return false;
    work += workOf(outer, branches);
    sentences.push(sentence);
    if (isTooMuchWork(work)) continue;
    const possible = branches.map((branch) => mergeAll([outer, untitled(branch)])).filter((each) => each !== false);
    if (possible.length === 0) return false;
    const united = uniteObjects(possible.map(withoutAlternatives));
    // The schema without this group accepts more values, and the sentence states the group.
    if (sizeOf(united, mostValues) <= mostValues) node = united;
  }
  if (node === false) return false;
  const root = withoutUnevaluated(withoutAlternatives(node), schema);
  const texts = [...sentences, ...wordsOfRoot(root)].filter((sentence) => sentence !== "");
  const kept = Object.entries(root).filter(([keyword]) => rootKeywords.has(keyword));
  const result: JsonObject = { type: "object", ...Object.fromEntries(kept), properties: root["properties"] ?? {} };
  result["type"] = "object";
  if (root["patternProperties"] !== undefined) delete result["additionalProperties"];
  return texts.reduce(addSentence, result);
}

const rootKeywords = new Set("type title description properties required additionalProperties".split(" "));

function wordsOfRoot(root: JsonObject): string[] {
  const words = Object.keys(root).flatMap((keyword) => {
    const isAboutObjects = ["object", undefined].includes(typeOfKeyword(keyword));
    const sentence = rootKeywords.has(keyword) || !isAboutObjects ? null : sentenceOf(keyword, root);
    return sentence === null ? [] : [sentence];
  });
  const isClosed = root["patternProperties"] !== undefined && root["additionalProperties"] === false;
  return isClosed ? [...words, "No other keys are allowed."] : words;
}

interface RootGroup {
  branches: Node[];
  sentence: string;
}

/** Splits a schema into the rules that always hold, and the groups of rules of which one holds. */
function splitRoot(schema: JsonObject): { base: Node[]; groups: RootGroup[] } {
  const { allOf, anyOf, oneOf, if: given, then, else: otherwise, dependentSchemas, ...own } = schema;
  const base = [ownRules(own)];
  const groups: RootGroup[] = [];
  for (const [keyword, list] of [["anyOf", anyOf] as const, ["oneOf", oneOf] as const]) {
    if (!Array.isArray(list)) continue;
    const branches = list.map(argumentBranch);
    groups.push({ branches, sentence: alternativesText(branches, keyword === "oneOf") });
  }
  if (given !== undefined && (then !== undefined || otherwise !== undefined)) {
    const branches = [argumentBranch({ allOf: [given, then ?? true] }), argumentBranch(otherwise ?? true)];
    groups.push({ branches, sentence: conditionText(schema) });
  }
  for (const [name, dependent] of Object.entries(isJsonObject(dependentSchemas) ? dependentSchemas : {})) {
    const sentence = sentenceOf("dependentSchemas", { dependentSchemas: { [name]: normalSchema(dependent) } }) ?? "";
    groups.push({ branches: [argumentBranch(dependent), {}], sentence });
  }
  for (const inner of listOf(allOf)) {
    if (!isJsonObject(inner)) {
      if (inner === false) base.push(false);
      continue;
    }
    const split = splitRoot(inner);
    base.push(...split.base, unevaluatedWords(inner));
    groups.push(...split.groups);
  }
  return { base, groups };
}

/** One of several alternatives for the arguments of a tool, without the parts that are not about objects. */
function argumentBranch(schema: Json): Node {
  const node = mergeAll([{ type: "object" }, normalSchema(schema)]);
  return node === false ? false : withoutAlternatives(node);
}

function conditionText(schema: JsonObject): string {
  const inner = ["if", "then", "else"].flatMap((keyword): [string, Json][] => {
    const value = schema[keyword];
    return value === undefined ? [] : [[keyword, normalSchema(value)]];
  });
  return sentenceOf("if", Object.fromEntries(inner)) ?? "";
}

/** The node with its alternatives united to one schema of an object. */
function withoutAlternatives(node: JsonObject): JsonObject {
  const { anyOf, ...outer } = node;
  if (!Array.isArray(anyOf)) return node;
  const text = alternativesText(anyOf.filter(isJsonObject), false);
  if (isTooMuchWork(workOf(outer, anyOf as Node[]))) return addSentence(outer, text);
  const branches = anyOf
    .map((branch) => mergeAll([outer, untitled(branch as JsonObject)]))
    .filter((each) => each !== false);
  return addSentence(uniteObjects(branches.map(withoutAlternatives)), text);
}

/** An alternative without its title and its description, which the sentence about the alternatives contains. */
function untitled(branch: Node): Node {
  if (branch === false) return false;
  const { title: _, description: __, ...rest } = branch;
  return rest;
}

/** The maximum number of alternatives in a text, and of the UTF-16 units of one. */
const mostInText = 20;
const longestInText = 300;

function alternativesText(branches: readonly Node[], exactlyOne: boolean): string {
  const texts = branches.filter((branch) => branch !== false).map(branchText);
  if (texts.length < 2 || texts.every((text) => text === "anything")) return "";
  const shown = texts.slice(0, mostInText).map((text, at) => `(${at + 1}) ${text}`);
  const more = texts.length > shown.length ? `; and ${texts.length - shown.length} more` : "";
  const how = exactlyOne ? "Exactly one" : "At least one";
  return `${how} of these alternatives applies: ${shown.join("; ")}${more}.`;
}

/** What an alternative asks for: its title, the keys that it requires, and keys with one value. */
function branchText(branch: JsonObject): string {
  const properties = isJsonObject(branch["properties"]) ? branch["properties"] : {};
  const required = new Set(listOf(branch["required"]).map(String));
  const keys = [...new Set([...required, ...Object.keys(properties)])].flatMap((name) => {
    const values = Object.hasOwn(properties, name) ? valuesOf(properties[name] as JsonObject) : undefined;
    const value = values?.length === 1 ? ` = ${JSON.stringify(values[0])}` : "";
    const isNamed = required.has(name) || value !== "";
    return isNamed ? [`${JSON.stringify(name)}${value}${required.has(name) ? "" : " if given"}`] : [];
  });
  const name = branch["title"] ?? branch["description"];
  const title = typeof name === "string" && name !== "" ? `${name}: ` : "";
  const known = "type title description properties required additionalProperties".split(" ");
  const rules = Object.entries(branch).filter(([keyword]) => !known.includes(keyword));
  const rest = rules.length === 0 ? "" : `the JSON Schema ${JSON.stringify(Object.fromEntries(rules))}`;
  const text = [keys.length === 0 ? "" : `needs ${keys.join(", ")}`, rest].filter((part) => part !== "").join(", ");
  const whole = `${title}${text === "" ? "anything" : text}`;
  return whole.length <= longestInText ? whole : `${whole.slice(0, longestInText).toWellFormed()}…`;
}

/** The normal form of the schema of a tool's arguments. Throws an UnusableSchema. */
export function readArguments(given: JsonObject, options: ResolveOptions = {}): JsonObject {
  const resolved = resolveSchema(given, options);
  if (resolved === true) throw new UnusableSchema("has to describe an object");
  const normal = resolved === false ? false : argumentSchema(resolved);
  if (normal !== false) return normal;
  const isObject = resolved === false || typesOf(resolved).includes("object");
  throw new UnusableSchema(isObject ? "accepts no arguments" : 'has to be of type "object"');
}
