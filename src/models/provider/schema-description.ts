// Converts keywords of JSON Schema that the provider's schemas do not have to sentences in the description, which the model reads. The
// arguments are checked against the tool's full schema in any case.

import type { JsonObject } from "#contract/json.ts";
import { textOrJson } from "#lib/json-value.ts";

const longestPattern = 200;

/** Returns the sentence for a keyword; null for none. `text` is the value of the keyword: unchanged if it is a string, else as JSON. */
type Sentence = (text: string, node: JsonObject) => string | null;

/** The keywords in the order of their sentences. A keyword that the provider's schemas have gets no sentence. */
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
  const allowed = properties === undefined ? "Any keys are allowed" : "Other keys are allowed";
  const isAny = text === "true" || text === "{}";
  return isAny ? `${allowed}.` : `${allowed}; each value follows the JSON Schema ${text}.`;
}

/** The description of a node with the sentences for its keywords; undefined if it would be empty. */
export function describeNode(node: JsonObject, expressed: ReadonlySet<string>): string | undefined {
  const added = Object.entries(sentences).flatMap(([keyword, say]) => {
    const value = node[keyword];
    const sentence = value === undefined || expressed.has(keyword) ? null : say(textOrJson(value), node);
    return sentence === null ? [] : [sentence];
  });
  const { description } = node;
  const all = typeof description === "string" && description !== "" ? [description, ...added] : added;
  return all.length === 0 ? undefined : all.join(" ");
}
