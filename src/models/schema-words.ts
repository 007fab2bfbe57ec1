// What of a JSON Schema a provider has no field for, said in words: a model reads the description of an argument, so what
// stands there is not lost. The tool's own schema checks the arguments all the same.

import type { Json, JsonObject } from "#contract/json.ts";

const longestPattern = 200;

/** How a keyword is said. `text` is its value, as it stands where it is text, else as JSON. */
type Sentence = (text: string, node: JsonObject) => string | null;

/** In the order they are said. Those of a node that the provider can express are left to it. */
const sentences: Record<string, Sentence> = {
  const: (_, node) => `Must be ${JSON.stringify(node["const"])}.`,
  enum: (_, { enum: values }) =>
    Array.isArray(values) ? `Must be one of ${values.map((value) => JSON.stringify(value)).join(", ")}.` : null,
  format: (text) => `Format: ${text}.`,
  pattern: (text, { format }) =>
    format === undefined && text.length <= longestPattern ? `Must match /${text}/.` : null,
  minLength: (text) => `At least ${text} characters.`,
  maxLength: (text) => `At most ${text} characters.`,
  minimum: (text) => `At least ${text}.`,
  exclusiveMinimum: (text) => `More than ${text}.`,
  maximum: (text) => `At most ${text}.`,
  exclusiveMaximum: (text) => `Less than ${text}.`,
  multipleOf: (text) => `A multiple of ${text}.`,
  minItems: (text) => `At least ${text} items.`,
  maxItems: (text) => `At most ${text} items.`,
  propertyNames: (text) => `Each key follows the JSON Schema ${text}.`,
  additionalProperties: freeKeys,
  default: (_, node) => `Default: ${JSON.stringify(node["default"])}.`,
};

function freeKeys(text: string, { properties }: JsonObject): string | null {
  if (text === "false") return null;
  const whose = properties === undefined ? "Any keys are allowed" : "Other keys are allowed";
  const isAny = text === "true" || text === "{}";
  return isAny ? `${whose}.` : `${whose}; each value follows the JSON Schema ${text}.`;
}

function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The description of a node, with what is said of its keywords; undefined when there is nothing to say. */
export function described(node: JsonObject, expressed: ReadonlySet<string>): string | undefined {
  const words = Object.entries(sentences).flatMap(([keyword, say]) => {
    const value = node[keyword];
    const sentence = value === undefined || expressed.has(keyword) ? null : say(asText(value), node);
    return sentence === null ? [] : [sentence];
  });
  const { description } = node;
  const all = typeof description === "string" && description !== "" ? [description, ...words] : words;
  return all.length === 0 ? undefined : all.join(" ");
}
