// A tool's JSON Schema in the subset that Gemini accepts: one type for each node, unions as `anyOf` without other keywords,
// lists of values for texts only, no free keys. Keywords without a field become sentences of the description
// (`schema-description.ts`). The result is plain JSON Schema, so that Google's package and gateways to Gemini read it alike.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

import { describeNode } from "./schema-description.ts";

/** The types that a node allows, one node for each, and whether it allows null. */
interface Alternatives {
  nodes: JsonObject[];
  nullable: boolean;
}

/** The schema for Gemini. The package resolves references. */
export function googleSchema(schema: JsonObject): JsonObject {
  if ("$ref" in schema) return schema;
  const { nodes, nullable } = alternatives(schema);
  const [first, ...others] = nodes.map((node) => oneType(node));
  if (first === undefined) return orNull({ type: "string", description: sentencesOf(schema, "Must be null.") });
  const head = nullable ? orNull(first) : first;
  return others.length === 0 ? head : { anyOf: [head, ...others] };
}

/**
 * The parameters of a function for Google's package. The package leaves out an object without properties, and Gemini refuses
 * a function without parameters in a request that demands a call.
 */
export function googleParameters(parameters: JsonObject): JsonObject {
  const schema = googleSchema(parameters);
  return schema["properties"] === undefined ? { ...schema, properties: {}, additionalProperties: true } : schema;
}

function sentencesOf(schema: JsonObject, sentence: string): string {
  const { const: _, enum: __, ...rest } = schema;
  return [describeNode(rest, new Set()), sentence].filter((text) => text !== undefined).join(" ");
}

/** A node that also allows null, in the form that the package converts to Gemini's `nullable`. */
function orNull({ description, ...node }: JsonObject): JsonObject {
  return { ...(description === undefined ? {} : { description }), anyOf: [node, { type: "null" }] };
}

/** The single types that a node allows. Keywords of the node apply to each. */
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

/** The node with one type, and of its values those of that type. */
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
  // The only format of texts that Gemini accepts.
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
