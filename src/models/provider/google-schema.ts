// Converts a tool's JSON Schema to the subset that Gemini accepts: one type for each node, unions as `anyOf` without other keywords, `enum`
// for strings only, no undeclared keys. Other keywords become sentences of the description (`schema-description.ts`). The result is still
// JSON Schema, so Google's package and gateways to Gemini read it alike.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

import { describeNode } from "./schema-description.ts";

/** The types that a node allows, as one node for each type, and whether the node allows null. */
interface Alternatives {
  nodes: JsonObject[];
  nullable: boolean;
}

/** Returns the schema for Gemini. References stay: Google's package resolves them. */
export function googleSchema(schema: JsonObject): JsonObject {
  if ("$ref" in schema) return schema;
  const { nodes, nullable } = alternatives(schema);
  const [first, ...others] = nodes.map((node) => oneType(node));
  if (first === undefined) return orNull({ type: "string", description: sentencesOf(schema, "Must be null.") });
  const head = nullable ? orNull(first) : first;
  return others.length === 0 ? head : { anyOf: [head, ...others] };
}

/**
 * Returns the parameters of a function for Google's package. The package omits an object without properties, and Gemini refuses a function
 * without parameters in a request that forces a tool call.
 */
export function googleParameters(parameters: JsonObject): JsonObject {
  const schema = googleSchema(parameters);
  return schema["properties"] === undefined ? { ...schema, properties: {}, additionalProperties: true } : schema;
}

function sentencesOf(schema: JsonObject, sentence: string): string {
  const { const: _, enum: __, ...rest } = schema;
  return [describeNode(rest, new Set()), sentence].filter((text) => text !== undefined).join(" ");
}

/** Returns a node that also allows null, in the form that the package converts to Gemini's `nullable`. */
function orNull({ description, ...node }: JsonObject): JsonObject {
  return { ...(description === undefined ? {} : { description }), anyOf: [node, { type: "null" }] };
}

/** Splits a node into nodes with one type each. Keywords of the node apply to each. */
function alternatives(schema: JsonObject): Alternatives {
  const { anyOf, oneOf, ...shared } = schema;
  const branches = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isJsonObject) : []));
  if (branches.length > 0) {
    const inner = branches.map((branch) => alternatives(withShared(branch, shared)));
    return { nodes: inner.flatMap(({ nodes }) => nodes), nullable: inner.some(({ nullable }) => nullable) };
  }
  const values = schema["const"] === undefined ? schema["enum"] : [schema["const"]];
  const types = typesOf(schema, Array.isArray(values) ? values : null);
  const nodes = types.filter((type) => type !== "null").map((type) => ofType(schema, type, values));
  return { nodes, nullable: types.includes("null") };
}

function withShared(branch: JsonObject, shared: JsonObject): JsonObject {
  const descriptions = [shared["description"], branch["description"]].filter((text) => typeof text === "string");
  return {
    ...(shared["default"] === undefined ? {} : { default: shared["default"] }),
    ...branch,
    ...(descriptions.length === 0 ? {} : { description: descriptions.join(" ") }),
  };
}

function typesOf({ type, properties, items }: JsonObject, values: Json[] | null): string[] {
  if (Array.isArray(type)) return type.map(String);
  if (typeof type === "string") return [type];
  if (values !== null) return [...new Set(values.map(typeOf))];
  if (properties !== undefined) return ["object"];
  return [items === undefined ? "string" : "array"];
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Returns the node with one type. Of the allowed values, only those of that type remain. */
function ofType(schema: JsonObject, type: string, values: Json | undefined): JsonObject {
  const { const: _, enum: __, ...rest } = schema;
  if (!Array.isArray(values)) return { ...rest, type };
  const own = values.filter((value) => typeOf(value) === (type === "integer" ? "number" : type));
  return { ...rest, type, ...(own.length === 1 ? { const: own[0] ?? null } : { enum: own }) };
}

const textKeywords = new Set(["const", "enum", "minLength"]);

function oneType(node: JsonObject): JsonObject {
  const { type } = node;
  switch (type) {
    case "string":
      return textNode(node);
    case "object":
      return objectNode(node);
    case "array": {
      const items = isJsonObject(node["items"]) ? googleSchema(node["items"]) : { type: "string" };
      return { type, ...descriptionOf(node), items };
    }
    default:
      return { type: type ?? "string", ...descriptionOf(node) };
  }
}

function descriptionOf(node: JsonObject, expressed: ReadonlySet<string> = new Set()): JsonObject {
  const description = describeNode(node, expressed);
  return description === undefined ? {} : { description };
}

function textNode(node: JsonObject): JsonObject {
  const values = node["const"] === undefined ? node["enum"] : [node["const"]];
  // The only string format that Gemini accepts.
  const format = node["format"] === "date-time" ? { format: "date-time" } : {};
  const expressed = "format" in format ? new Set([...textKeywords, "format"]) : textKeywords;
  return {
    type: "string",
    ...descriptionOf(node, expressed),
    ...(values === undefined ? {} : { enum: values }),
    ...format,
    ...(node["minLength"] === undefined ? {} : { minLength: node["minLength"] }),
  };
}

function objectNode(node: JsonObject): JsonObject {
  const properties = Object.entries(isJsonObject(node["properties"]) ? node["properties"] : {});
  const names = new Set<Json>(properties.map(([name]) => name));
  const required = Array.isArray(node["required"]) ? node["required"].filter((name) => names.has(name)) : [];
  if (properties.length === 0) return { type: "object", ...descriptionOf(node) };
  return {
    type: "object",
    ...descriptionOf(node),
    properties: Object.fromEntries(
      properties.map(([name, value]) => [name, googleSchema(isJsonObject(value) ? value : {})]),
    ),
    ...(required.length === 0 ? {} : { required }),
  };
}
