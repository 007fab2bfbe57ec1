// The rules of each wire for the schema of a tool's arguments, written after the documentation and the reports that are named with them, and
// independent of the code that converts schemas. A schema without problems is one that the provider does not refuse.

import { geminiProblems } from "./gemini-problems.mjs";

/**
 * @typedef {Record<string, any>} Node
 * @typedef {(node: Node, place: string) => string[]} Rule Checks one schema at a position, and returns sentences.
 * @typedef {typeof schemaWires[number]} SchemaWire
 */

/**
 * The wires that receive schemas. `moonshot`, `claude` and `gemini` are Chat Completions with models of Moonshot AI, Anthropic and Google;
 * `nova` is Converse with Amazon's models.
 */
export const schemaWires = /** @type {const} */ ([
  "openai",
  "openai-responses",
  "anthropic",
  "google",
  "openrouter",
  "openai-compatible",
  "moonshot",
  "claude",
  "gemini",
  "bedrock",
  "nova",
]);

/**
 * @param {unknown} value
 * @returns {value is Node}
 */
const isNode = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {string} place */
const isRoot = (place) => place === "parameters";

/**
 * @param {Node} node
 * @returns {unknown[]}
 */
function typesOf({ type }) {
  if (type === undefined) return [];
  return Array.isArray(type) ? type : [type];
}

/**
 * "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level": langchain-ai/langchainjs#9804
 * @type {Rule}
 */
const objectRoot = (node, place) => {
  if (!isRoot(place)) return [];
  const refused = ["oneOf", "anyOf", "allOf", "enum", "const", "not"].filter((keyword) => node[keyword] !== undefined);
  return [
    ...(node["type"] === "object" ? [] : [`${place} is not of type "object"`]),
    ...(isNode(node["properties"]) ? [] : [`${place} has no properties`]),
    ...refused.map((keyword) => `${place} has ${keyword} at the root`),
  ];
};

/**
 * "object schema missing properties": spring-projects/spring-ai#4776, everruns/everruns#984
 * @type {Rule}
 */
const objectProperties = (node, place) =>
  typesOf(node).includes("object") && !isNode(node["properties"]) ? [`${place} is an object without properties`] : [];

/**
 * "array schema missing items": sigoden/aichat#1049
 * @type {Rule}
 */
const listItems = (node, place) =>
  typesOf(node).includes("array") && !isNode(node["items"]) ? [`${place} is a list without items`] : [];

/**
 * @param {Node} node
 * @returns {string[]}
 */
const patternsOf = (node) => [
  ...(typeof node["pattern"] === "string" ? [node["pattern"]] : []),
  ...(isNode(node["patternProperties"]) ? Object.keys(node["patternProperties"]) : []),
];

/** A range from or to a class of characters, as in `[\w-.]` and `[.-\d]`. A hyphen at an end of the set, or after a range, is a character. */
const rangeOfClass = /\[(?:\^|(?!\^))(?:[^\]\\]|\\.)*?(?:\\[wWdDsS]-(?!\])|(?<!\\|[^\\]-)[^\\]-\\[wWdDsS])/;

/**
 * "regex lookaround is not supported": vercel/ai#21037; "… is not a 'regex'" of Python: BerriAI/litellm#40485, pleaseai/shunt#488,
 * "bad character range \\w-.": Azure/aaz-dev-tools#506
 * @type {Rule}
 */
const pythonPatterns = (node, place) =>
  patternsOf(node)
    .filter(
      (pattern) => /\(\?[=!<P]|\\[pP]\{|\\u\{|\\x\{|\\[cko1-9]|\[\^?\]/.test(pattern) || rangeOfClass.test(pattern),
    )
    .map((pattern) => `${place} has the pattern /${pattern}/`);

/**
 * "Pattern must start with '^' and end with '$'": containers/kubernetes-mcp-server#758
 * @type {Rule}
 */
const anchoredPatterns = (node, place) =>
  patternsOf(node)
    .filter((pattern) => !pattern.startsWith("^") || !pattern.endsWith("$"))
    .map((pattern) => `${place} has the open pattern /${pattern}/`);

/**
 * "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", at the root: beautyfree/appstore-connect-mcp#2
 * @type {Rule}
 */
const argumentNames = (node, place) =>
  Object.keys(isRoot(place) && isNode(node["properties"]) ? node["properties"] : {})
    .filter((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
    .map((name) => `${place} has the key ${JSON.stringify(name)}`);

/**
 * "type is not defined": earendil-works/pi#4138; "type should be defined in anyOf items": MoonshotAI/kimi-cli#2531
 * @type {Rule}
 */
const statedTypes = (node, place) => {
  if (node["anyOf"] !== undefined) return node["type"] === undefined ? [] : [`${place} has type next to anyOf`];
  return node["type"] === undefined ? [`${place} has no type`] : [];
};

/** @param {unknown} value */
const isText = (value) => typeof value === "string";
/** @param {unknown} value */
const isNumber = (value) => typeof value === "number";
/** @param {unknown} value */
const isCount = (value) => Number.isInteger(value) && Number(value) >= 0;
/** @param {unknown} value */
const isFlag = (value) => typeof value === "boolean";
/** @param {unknown} value */
const isUniqueList = (value) =>
  Array.isArray(value) && new Set(value.map((each) => JSON.stringify(each))).size === value.length;
/** @param {unknown} value */
const isType = (value) =>
  ["string", "number", "integer", "boolean", "object", "array", "null"].includes(JSON.stringify(value).slice(1, -1));

/**
 * The keywords that a schema may have, with the values of draft 2020-12.
 * @type {Record<string, (value: any) => boolean>}
 */
const keywords = {
  type: (value) =>
    isType(value) || (Array.isArray(value) && value.length > 0 && isUniqueList(value) && value.every(isType)),
  enum: (value) => isUniqueList(value) && value.length > 0,
  const: () => true,
  required: (value) => isUniqueList(value) && value.every(isText),
  dependentRequired: (value) => isNode(value) && Object.values(value).every(isUniqueList),
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
  properties: isNode,
  patternProperties: isNode,
  additionalProperties: (value) => isNode(value) || isFlag(value),
  propertyNames: isNode,
  items: isNode,
  prefixItems: (value) => Array.isArray(value) && value.length > 0,
  anyOf: (value) => Array.isArray(value) && value.length > 0,
};

/**
 * "JSON schema is invalid. It must match JSON Schema draft 2020-12": Dokploy/mcp#74. Each wire reads schemas of this draft.
 * @type {Rule}
 */
const currentDraft = (node, place) =>
  Object.entries(node).flatMap(([keyword, value]) => {
    const isValid = keywords[keyword];
    if (isValid === undefined) return [`${place} has the keyword ${keyword}`];
    return isValid(value) ? [] : [`${place} has ${keyword}: ${JSON.stringify(value).slice(0, 80)}`];
  });

/** Nova's rule (https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html). @type {Rule} */
const plainRoot = (node, place) =>
  isRoot(place)
    ? Object.keys(node)
        .filter((keyword) => !["type", "properties", "required", "description"].includes(keyword))
        .map((keyword) => `${place} has ${keyword}`)
    : [];

const openai = [objectRoot, currentDraft, objectProperties, listItems, pythonPatterns];
const compatible = [...openai, anchoredPatterns];

/** @type {Record<Exclude<SchemaWire, "google" | "gemini">, Rule[]>} */
const rules = {
  openai,
  "openai-responses": openai,
  anthropic: [objectRoot, currentDraft, argumentNames],
  openrouter: [...compatible, argumentNames],
  "openai-compatible": compatible,
  moonshot: [...compatible, statedTypes],
  claude: [...compatible, argumentNames],
  bedrock: [objectRoot, currentDraft, argumentNames],
  nova: [objectRoot, currentDraft, argumentNames, plainRoot],
};

/**
 * The schemas directly inside of a schema, with their positions.
 * @param {Node} node
 * @param {string} place
 * @returns {[unknown, string][]}
 */
function innerOf(node, place) {
  const named = ["properties", "patternProperties"].flatMap((keyword) =>
    Object.entries(isNode(node[keyword]) ? node[keyword] : {}).map(([name, value]) => [value, `${place}.${name}`]),
  );
  const listed = ["anyOf", "prefixItems"].flatMap((keyword) =>
    (Array.isArray(node[keyword]) ? node[keyword] : []).map(
      (/** @type {unknown} */ value, /** @type {number} */ at) => [value, `${place}|${at}`],
    ),
  );
  const single = ["items", "propertyNames", "additionalProperties"].flatMap((keyword) => {
    const value = node[keyword];
    return value === undefined || typeof value === "boolean" ? [] : [[value, `${place}[${keyword}]`]];
  });
  return /** @type {[unknown, string][]} */ ([...named, ...listed, ...single]);
}

/**
 * @param {unknown} schema
 * @param {string} place
 * @param {readonly Rule[]} checks
 * @returns {string[]}
 */
function problemsOf(schema, place, checks) {
  if (!isNode(schema)) return [`${place} is no object`];
  return [
    ...checks.flatMap((check) => check(schema, place)),
    ...innerOf(schema, place).flatMap(([inner, at]) => problemsOf(inner, at, checks)),
  ];
}

/**
 * The reasons why a provider would refuse the schema of a tool's arguments, as it is sent.
 * @param {SchemaWire} wire
 * @param {unknown} schema
 * @returns {string[]}
 */
export function schemaProblems(wire, schema) {
  if (wire === "google" || wire === "gemini") return geminiProblems(schema, "parameters", wire === "gemini");
  return problemsOf(schema, "parameters", rules[wire]);
}

/**
 * Models that gateways forward to a provider with rules of its own, by the names of their providers and of their families.
 * @type {readonly (readonly [RegExp, SchemaWire])[]}
 */
const wiresByModel = [
  [/(^|\/)(moonshot|kimi)/i, "moonshot"],
  [/(^|[./])(anthropic[./]|claude)/i, "claude"],
  [/(^|\/)(google\/|gemini)/i, "gemini"],
];

/** @type {readonly string[]} */
const forwarding = ["openai", "openai-responses", "openrouter"];

/**
 * The rules for the schemas of a request: those of the protocol, or those of the provider that the model belongs to.
 * @param {"openai" | "openai-responses" | "openrouter" | "anthropic" | "google" | "bedrock"} wire
 * @param {unknown} model
 * @returns {SchemaWire}
 */
export function schemaWireOf(wire, model) {
  const named = forwarding.includes(wire) ? wiresByModel.find(([id]) => id.test(String(model))) : undefined;
  return named?.[1] ?? wire;
}
