// The rules of each wire for the schema of a tool's arguments, written after the documentation and the reports that are named with them, and
// independent of the code that converts schemas. A schema without problems is one that the provider does not refuse.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

import { geminiProblems } from "./gemini-schema.ts";

/** The wires that receive schemas. `moonshot` is Chat Completions with a model of Moonshot AI. */
export const schemaWires = [
  "openai",
  "openai-responses",
  "anthropic",
  "google",
  "openrouter",
  "openai-compatible",
  "moonshot",
] as const;
export type SchemaWire = (typeof schemaWires)[number];

/** Checks one schema at a position, and returns sentences. */
type Rule = (node: JsonObject, place: string) => string[];

const isRoot = (place: string): boolean => place === "parameters";

function typesOf({ type }: JsonObject): Json[] {
  if (type === undefined) return [];
  return Array.isArray(type) ? type : [type];
}

/** "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level": langchain-ai/langchainjs#9804 */
const objectRoot: Rule = (node, place) => {
  if (!isRoot(place)) return [];
  const refused = ["oneOf", "anyOf", "allOf", "enum", "const", "not"].filter((keyword) => node[keyword] !== undefined);
  return [
    ...(node["type"] === "object" ? [] : [`${place} is not of type "object"`]),
    ...(isJsonObject(node["properties"]) ? [] : [`${place} has no properties`]),
    ...refused.map((keyword) => `${place} has ${keyword} at the root`),
  ];
};

/** "object schema missing properties": spring-projects/spring-ai#4776, everruns/everruns#984 */
const objectProperties: Rule = (node, place) =>
  typesOf(node).includes("object") && !isJsonObject(node["properties"])
    ? [`${place} is an object without properties`]
    : [];

/** "array schema missing items": sigoden/aichat#1049 */
const listItems: Rule = (node, place) =>
  typesOf(node).includes("array") && !isJsonObject(node["items"]) ? [`${place} is a list without items`] : [];

const patternsOf = (node: JsonObject): string[] => [
  ...(typeof node["pattern"] === "string" ? [node["pattern"]] : []),
  ...(isJsonObject(node["patternProperties"]) ? Object.keys(node["patternProperties"]) : []),
];

/** "regex lookaround is not supported": vercel/ai#21037; "… is not a 'regex'" of Python: BerriAI/litellm#40485, pleaseai/shunt#488 */
const pythonPatterns: Rule = (node, place) =>
  patternsOf(node)
    .filter((pattern) => /\(\?[=!<P]|\\[pP]\{|\\u\{|\\[cko]|\[\^?\]/.test(pattern))
    .map((pattern) => `${place} has the pattern /${pattern}/`);

/** "Pattern must start with '^' and end with '$'": containers/kubernetes-mcp-server#758 */
const anchoredPatterns: Rule = (node, place) =>
  patternsOf(node)
    .filter((pattern) => !pattern.startsWith("^") || !pattern.endsWith("$"))
    .map((pattern) => `${place} has the open pattern /${pattern}/`);

/** "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", at the root: beautyfree/appstore-connect-mcp#2 */
const argumentNames: Rule = (node, place) =>
  Object.keys(isRoot(place) && isJsonObject(node["properties"]) ? node["properties"] : {})
    .filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
    .map((name) => `${place} has the key ${JSON.stringify(name)}`);

/** "type is not defined": earendil-works/pi#4138; "type should be defined in anyOf items": MoonshotAI/kimi-cli#2531 */
const statedTypes: Rule = (node, place) => {
  if (node["anyOf"] !== undefined) return node["type"] === undefined ? [] : [`${place} has type beside anyOf`];
  return node["type"] === undefined ? [`${place} has no type`] : [];
};

const isText = (value: Json): boolean => typeof value === "string";
const isNumber = (value: Json): boolean => typeof value === "number";
const isCount = (value: Json): boolean => Number.isInteger(value) && Number(value) >= 0;
const isFlag = (value: Json): boolean => typeof value === "boolean";
const isUniqueList = (value: Json): boolean =>
  Array.isArray(value) && new Set(value.map((each) => JSON.stringify(each))).size === value.length;
const isType = (value: Json): boolean =>
  ["string", "number", "integer", "boolean", "object", "array", "null"].includes(JSON.stringify(value).slice(1, -1));

/** The keywords that a schema may have, with the values of draft 2020-12. */
const keywords: Record<string, (value: Json) => boolean> = {
  type: (value) =>
    isType(value) || (Array.isArray(value) && value.length > 0 && isUniqueList(value) && value.every(isType)),
  enum: (value) => isUniqueList(value) && (value as Json[]).length > 0,
  const: () => true,
  required: (value) => isUniqueList(value) && (value as Json[]).every(isText),
  dependentRequired: (value) => isJsonObject(value) && Object.values(value).every(isUniqueList),
  ...Object.fromEntries(
    "title description pattern format contentEncoding contentMediaType".split(" ").map((key) => [key, isText]),
  ),
  ...Object.fromEntries("minimum maximum exclusiveMinimum exclusiveMaximum".split(" ").map((key) => [key, isNumber])),
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  ...Object.fromEntries(
    "minLength maxLength minItems maxItems minProperties maxProperties".split(" ").map((key) => [key, isCount]),
  ),
  ...Object.fromEntries("uniqueItems deprecated readOnly writeOnly".split(" ").map((key) => [key, isFlag])),
  default: () => true,
  examples: Array.isArray,
  properties: isJsonObject,
  patternProperties: isJsonObject,
  additionalProperties: (value) => isJsonObject(value) || isFlag(value),
  propertyNames: isJsonObject,
  items: isJsonObject,
  prefixItems: (value) => Array.isArray(value) && value.length > 0,
  anyOf: (value) => Array.isArray(value) && value.length > 0,
};

/** "JSON schema is invalid. It must match JSON Schema draft 2020-12": Dokploy/mcp#74. Each wire reads schemas of this draft. */
const currentDraft: Rule = (node, place) =>
  Object.entries(node).flatMap(([keyword, value]) => {
    const isValid = keywords[keyword];
    if (isValid === undefined) return [`${place} has the keyword ${keyword}`];
    return isValid(value) ? [] : [`${place} has ${keyword}: ${JSON.stringify(value).slice(0, 80)}`];
  });

const openai = [objectRoot, currentDraft, objectProperties, listItems, pythonPatterns];
const compatible = [...openai, anchoredPatterns];

const rules: Record<Exclude<SchemaWire, "google">, Rule[]> = {
  openai,
  "openai-responses": openai,
  anthropic: [objectRoot, currentDraft, argumentNames],
  openrouter: [...compatible, argumentNames],
  "openai-compatible": compatible,
  moonshot: [...compatible, statedTypes],
};

/** The schemas directly inside of a schema, with their positions. */
function innerOf(node: JsonObject, place: string): [Json, string][] {
  const named = ["properties", "patternProperties"].flatMap((keyword) =>
    Object.entries(isJsonObject(node[keyword]) ? node[keyword] : {}).map(([name, value]): [Json, string] => [
      value,
      `${place}.${name}`,
    ]),
  );
  const listed = ["anyOf", "prefixItems"].flatMap((keyword) =>
    (Array.isArray(node[keyword]) ? node[keyword] : []).map((value, at): [Json, string] => [value, `${place}|${at}`]),
  );
  const single = ["items", "propertyNames", "additionalProperties"].flatMap((keyword): [Json, string][] => {
    const value = node[keyword];
    return value === undefined || typeof value === "boolean" ? [] : [[value, `${place}[${keyword}]`]];
  });
  return [...named, ...listed, ...single];
}

function problemsOf(schema: Json, place: string, checks: readonly Rule[]): string[] {
  if (!isJsonObject(schema)) return [`${place} is no object`];
  return [
    ...checks.flatMap((check) => check(schema, place)),
    ...innerOf(schema, place).flatMap(([inner, at]) => problemsOf(inner, at, checks)),
  ];
}

/** The reasons why a provider would refuse the schema of a tool's arguments, as it is sent. */
export function schemaProblems(wire: SchemaWire, schema: unknown): string[] {
  if (wire === "google") return geminiProblems(schema);
  return problemsOf(schema as Json, "parameters", rules[wire]);
}
