// The limits of the modes in which providers enforce a JSON Schema for a structured answer. A schema beyond these limits is sent without
// enforcement, or as the arguments of a tool; the answer is checked against the full schema in any case.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

/** Keywords that OpenAI's strict mode refuses (https://platform.openai.com/docs/guides/structured-outputs, "Supported schemas"). */
const refusedByOpenai =
  /^(?:allOf|oneOf|not|if|then|else|dependentRequired|dependentSchemas|patternProperties|propertyNames|prefixItems|default|minLength|maxLength|uniqueItems|contains|minProperties|maxProperties)$/;

/** The formats of texts that OpenAI's strict mode accepts (the same page). Others, such as `uri`, are refused. */
const formatsOfOpenai = /^(?:date-time|time|date|duration|email|hostname|ipv4|ipv6|uuid)$/;

/** Lookahead and lookbehind, which OpenAI refuses in a pattern. */
const lookaround = /\(\?<?[=!]/;

/** All schemas inside of a schema, and the schema itself. Values of other keywords, such as `enum`, are not schemas. */
function* nodesOf(schema: Json | undefined): Generator<JsonObject> {
  if (!isJsonObject(schema)) return;
  yield schema;
  for (const [keyword, value] of Object.entries(schema)) {
    if (/^(?:properties|patternProperties|\$defs|definitions)$/.test(keyword) && isJsonObject(value)) {
      for (const inner of Object.values(value)) yield* nodesOf(inner);
    } else if (/^(?:items|additionalProperties|not)$/.test(keyword) && !Array.isArray(value)) {
      yield* nodesOf(value);
    } else if (/^(?:anyOf|oneOf|allOf|prefixItems)$/.test(keyword) && Array.isArray(value)) {
      for (const inner of value) yield* nodesOf(inner);
    }
  }
}

/** The properties of an object that it may leave out. */
function optionalProperties({ properties, required }: JsonObject): string[] {
  const needed = new Set(Array.isArray(required) ? required : []);
  return Object.keys(isJsonObject(properties) ? properties : {}).filter((name) => !needed.has(name));
}

function isObjectNode({ type, properties }: JsonObject): boolean {
  return type === "object" || properties !== undefined;
}

/**
 * Whether OpenAI's strict mode takes the schema: every object has `additionalProperties: false`, every property is required, and every
 * value has a type, a known format and a plain pattern.
 */
export function fitsStrictMode(schema: JsonObject): boolean {
  return [...nodesOf(schema)].every((node) => {
    if (Object.keys(node).some((keyword) => refusedByOpenai.test(keyword))) return false;
    if (!hasStrictText(node) || !statesType(node)) return false;
    return !isObjectNode(node) || (node["additionalProperties"] === false && optionalProperties(node).length === 0);
  });
}

function hasStrictText({ format, pattern }: JsonObject): boolean {
  if (typeof pattern === "string" && lookaround.test(pattern)) return false;
  return typeof format !== "string" || formatsOfOpenai.test(format);
}

/** Whether a schema restricts its value. A schema that permits every value does not. */
function statesType(node: JsonObject): boolean {
  return ["type", "anyOf", "$ref", "enum", "const"].some((keyword) => node[keyword] !== undefined);
}

/**
 * Whether every object of the schema has `additionalProperties: false`, no schema contains itself, and at most `most` properties can be
 * left out. Any reference counts as recursion, because zod writes few others.
 */
export function isClosed(schema: JsonObject, most: number): boolean {
  const nodes = [...nodesOf(schema)];
  const isOpen = (node: JsonObject): boolean =>
    node["$ref"] !== undefined ||
    node["patternProperties"] !== undefined ||
    (isObjectNode(node) && node["additionalProperties"] !== false);
  return !nodes.some(isOpen) && nodes.flatMap(optionalProperties).length <= most;
}
