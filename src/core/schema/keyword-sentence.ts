// Converts keywords of JSON Schema to sentences for the description, which the model reads. A keyword that a provider's schemas do not have
// is described this way. The arguments are checked against the tool's full schema in any case.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { textOrJson } from "#lib/json-value.ts";

const longestPattern = 200;

/** The maximum length of a JSON value in a sentence. */
const longestJson = 600;

/** Returns the sentence for a keyword; null for none. `text` is the value of the keyword: unchanged if it is a string, else as JSON. */
type Sentence = (text: string, node: JsonObject) => string | null;

function json(value: Json | undefined): string {
  const text = JSON.stringify(value ?? null);
  return text.length <= longestJson ? text : `${text.slice(0, longestJson).toWellFormed()}…`;
}

function jsonList(values: Json | undefined): string {
  const all = Array.isArray(values) ? values : [values ?? null];
  const text = all.map((value) => JSON.stringify(value)).join(", ");
  return text.length <= longestJson ? text : `${text.slice(0, longestJson).toWellFormed()}…`;
}

const follows = (value: Json | undefined): string => `follows the JSON Schema ${json(value)}`;

/** The keywords in the order of their sentences. A keyword that the provider's schemas have gets no sentence. */
const sentences: Record<string, Sentence> = {
  const: (_, node) => `Must be ${json(node["const"])}.`,
  enum: (_, { enum: values }) => (Array.isArray(values) ? `Must be one of ${jsonList(values)}.` : null),
  format: (text) => `Format: ${text}.`,
  pattern: (text, { format }) => {
    if (format !== undefined) return null;
    return text.length <= longestPattern
      ? `Must match /${text}/.`
      : `Must match /${text.slice(0, longestPattern).toWellFormed()}…/.`;
  },
  minLength: (text) => `At least ${text} characters.`,
  maxLength: (text) => `At most ${text} characters.`,
  minimum: (text) => `At least ${text}.`,
  exclusiveMinimum: (text) => `More than ${text}.`,
  maximum: (text) => `At most ${text}.`,
  exclusiveMaximum: (text) => `Less than ${text}.`,
  multipleOf: (text) => `A multiple of ${text}.`,
  minItems: (text) => `At least ${text} items.`,
  maxItems: (text) => `At most ${text} items.`,
  uniqueItems: (text) => (text === "true" ? "No item occurs twice." : null),
  prefixItems: (_, { prefixItems }) =>
    Array.isArray(prefixItems) ? `The first items follow the JSON Schemas ${jsonList(prefixItems)}.` : null,
  contains: (_, node) => containedItems(node),
  unevaluatedItems: (text, { unevaluatedItems }) =>
    text === "false" ? "No other items are allowed." : `Each other item ${follows(unevaluatedItems)}.`,
  minProperties: (text) => `At least ${text} keys.`,
  maxProperties: (text) => `At most ${text} keys.`,
  dependentRequired: (_, { dependentRequired }) =>
    entries(dependentRequired)
      .filter(([, names]) => Array.isArray(names) && names.length > 0)
      .map(([name, names]) => `With the key ${JSON.stringify(name)}, these keys are required: ${jsonList(names)}.`)
      .join(" ") || null,
  dependentSchemas: (_, { dependentSchemas }) =>
    entries(dependentSchemas)
      .map(([name, schema]) => `With the key ${JSON.stringify(name)}, the object ${follows(schema)}.`)
      .join(" ") || null,
  patternProperties: (_, { patternProperties }) =>
    entries(patternProperties)
      .map(([pattern, schema]) => `The value of each key that matches /${pattern}/ ${follows(schema)}.`)
      .join(" ") || null,
  propertyNames: (_, { propertyNames }) => `Each key ${follows(propertyNames)}.`,
  additionalProperties: freeKeys,
  unevaluatedProperties: (text, node) =>
    text === "false"
      ? "No other keys are allowed."
      : `The value of each other key ${follows(node["unevaluatedProperties"])}.`,
  anyOf: (_, { anyOf }) => (Array.isArray(anyOf) ? `Fits one of the JSON Schemas ${jsonList(anyOf)}.` : null),
  oneOf: (_, { oneOf }) => (Array.isArray(oneOf) ? "Exactly one of the alternatives fits." : null),
  not: (_, { not }) => `Must not fit the JSON Schema ${json(not)}.`,
  if: (_, node) => condition(node),
  contentEncoding: (text) => `Encoded as ${text}.`,
  contentMediaType: (text) => `Media type: ${text}.`,
  contentSchema: (_, { contentSchema }) => `The content ${follows(contentSchema)}.`,
  default: (_, node) => `Default: ${json(node["default"])}.`,
  examples: (_, { examples }) =>
    Array.isArray(examples) && examples.length > 0 ? `Examples: ${jsonList(examples)}.` : null,
  deprecated: (text) => (text === "true" ? "Deprecated." : null),
  readOnly: (text) => (text === "true" ? "Read-only." : null),
  writeOnly: (text) => (text === "true" ? "Write-only." : null),
};

function entries(value: Json | undefined): [string, Json][] {
  return isJsonObject(value) ? Object.entries(value) : [];
}

function freeKeys(text: string, { properties }: JsonObject): string | null {
  if (text === "false") return null;
  const allowed = properties === undefined ? "Any keys are allowed" : "Other keys are allowed";
  const isAny = text === "true" || text === "{}";
  return isAny ? `${allowed}.` : `${allowed}; each value follows the JSON Schema ${text}.`;
}

function containedItems({ contains, minContains, maxContains }: JsonObject): string {
  const most = maxContains === undefined ? "" : ` and at most ${json(maxContains)}`;
  return `At least ${json(minContains ?? 1)}${most} of the items fit the JSON Schema ${json(contains)}.`;
}

function condition({ if: given, then, else: otherwise }: JsonObject): string | null {
  const parts = [
    then === undefined ? null : `If it fits the JSON Schema ${json(given)}, it also ${follows(then)}.`,
    otherwise === undefined
      ? null
      : `${then === undefined ? `If it does not fit the JSON Schema ${json(given)}` : "Otherwise"}, it ${follows(otherwise)}.`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(" ");
}

/** The sentence for a keyword of a schema; null if there is nothing to say. */
export function sentenceOf(keyword: string, node: JsonObject): string | null {
  const value = node[keyword];
  return value === undefined ? null : (sentences[keyword]?.(textOrJson(value), node) ?? null);
}

/** The description of a node with the sentences for its keywords; undefined if it would be empty. */
export function describeNode(node: JsonObject, expressed: ReadonlySet<string>): string | undefined {
  const added = Object.keys(sentences).flatMap((keyword) => {
    const sentence = expressed.has(keyword) ? null : sentenceOf(keyword, node);
    return sentence === null ? [] : [sentence];
  });
  const { description } = node;
  const all = typeof description === "string" && description !== "" ? [description, ...added] : added;
  return all.length === 0 ? undefined : all.join(" ");
}

/** The schema with a sentence at the end of its description. A sentence that the description contains is not repeated. */
export function addSentence(schema: JsonObject, sentence: string): JsonObject {
  const { description } = schema;
  if (typeof description !== "string" || description === "") return { ...schema, description: sentence };
  return description.includes(sentence) ? schema : { ...schema, description: `${description} ${sentence}` };
}

/** Two descriptions as one text. A text that the other one contains is not repeated. */
export function joinTexts(first: Json | undefined, second: Json | undefined): string | undefined {
  const [a, b] = [first, second].map((text) => (typeof text === "string" ? text : ""));
  if (b === undefined || b === "" || a?.includes(b) === true) return a === "" ? undefined : a;
  return a === undefined || a === "" || b.includes(a) ? b : `${a} ${b}`;
}
