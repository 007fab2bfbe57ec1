// A tool's JSON Schema in the part of it that Gemini takes: one type a node, unions as `anyOf` with nothing beside it, lists
// of values for text alone, no free keys. What has no field there is said in the description (schema-words.ts). The result
// is plain JSON Schema still, so that Google's package, and gateways that lead to Gemini, make the same of it.

import type { Json, JsonObject } from "#contract/json.ts";

import { described } from "./schema-words.ts";

/** The types a node may be of, a node each, and whether it may be null. */
interface Alternatives {
  nodes: JsonObject[];
  nullable: boolean;
}

/** The schema for Gemini. References are left to the package. */
export function googleSchema(schema: JsonObject): JsonObject {
  if ("$ref" in schema) return schema;
  const { nodes, nullable } = alternatives(schema);
  const [first, ...others] = nodes.map((node) => oneType(node));
  if (first === undefined) return orNull({ type: "string", description: saidOf(schema, "Must be null.") });
  const head = nullable ? orNull(first) : first;
  return others.length === 0 ? head : { anyOf: [head, ...others] };
}

/**
 * The parameters of a function for Google's package. It would leave out an object without properties, and Gemini, told that
 * it must call some function, refuses one that has no parameters.
 */
export function googleParameters(parameters: JsonObject): JsonObject {
  const schema = googleSchema(parameters);
  return schema["properties"] === undefined ? { ...schema, properties: {}, additionalProperties: true } : schema;
}

function saidOf(schema: JsonObject, sentence: string): string {
  const { const: _, enum: __, ...rest } = schema;
  return [described(rest, new Set()), sentence].filter((words) => words !== undefined).join(" ");
}

/** Null beside a node: the form that the package turns into Gemini's `nullable`. */
function orNull({ description, ...node }: JsonObject): JsonObject {
  return { ...(description === undefined ? {} : { description }), anyOf: [node, { type: "null" }] };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The single types a node stands for. What is said of the whole is said of each. */
function alternatives(schema: JsonObject): Alternatives {
  const { anyOf, oneOf, ...shared } = schema;
  const branches = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
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
  const descriptions = [shared["description"], branch["description"]].filter((words) => typeof words === "string");
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

/** The node with one type, its values those of that type. */
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
      const items = isObject(node["items"]) ? googleSchema(node["items"]) : { type: "string" };
      return { type, ...descriptionOf(node), items };
    }
    default:
      return { type: type ?? "string", ...descriptionOf(node) };
  }
}

function descriptionOf(node: JsonObject, expressed: ReadonlySet<string> = new Set()): JsonObject {
  const description = described(node, expressed);
  return description === undefined ? {} : { description };
}

function textNode(node: JsonObject): JsonObject {
  const values = node["const"] === undefined ? node["enum"] : [node["const"]];
  // The one format of text that Gemini takes.
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
  const properties = Object.entries(isObject(node["properties"]) ? node["properties"] : {});
  const names = new Set<Json>(properties.map(([name]) => name));
  const required = Array.isArray(node["required"]) ? node["required"].filter((name) => names.has(name)) : [];
  if (properties.length === 0) return { type: "object", ...descriptionOf(node) };
  return {
    type: "object",
    ...descriptionOf(node),
    properties: Object.fromEntries(
      properties.map(([name, value]) => [name, googleSchema(isObject(value) ? value : {})]),
    ),
    ...(required.length === 0 ? {} : { required }),
  };
}
