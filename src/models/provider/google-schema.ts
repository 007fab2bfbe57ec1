// Converts the normal form of a schema (core/schema/normal-form.ts) to the subset that Gemini accepts. Other keywords become sentences of the
// description. The result is still JSON Schema, so Google's package and gateways to Gemini read it alike. Contract: a value that the given
// schema accepts fits the result, or a description allows it in words. The rules, with their sources:
// - A schema has only the fields of the reference, https://ai.google.dev/api/caching#Schema ("Unknown name … Cannot find field",
//   https://github.com/tailcallhq/forgecode/pull/3426), and of these only those that Google's package sends.
// - It has one type, unless it has `anyOf` (https://github.com/danny-avila/LibreChat/issues/6971,
//   https://github.com/zed-industries/zed/issues/53919); `anyOf` has no other keyword next to it.
// - `enum` contains texts only (https://github.com/microsoft/azure-devops-mcp/issues/139), and none is empty
//   (https://github.com/Smana/runlore/pull/40).
// - A text has the format `date-time`, `enum` or none (https://firebase.google.com/docs/reference/js/ai.schemashared).
// - A list has `items` (https://github.com/kkrishnan90/gemini-desktop/pull/7).
// - `required` contains only names of `properties` (https://github.com/probelabs/probe/issues/569).
// - `properties` is not empty (https://github.com/agno-agi/agno/issues/2112), and a function has parameters with a type, which a request
//   that forces a call needs (https://github.com/googleapis/python-genai/issues/981). `{"type":"object"}` satisfies both.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { addSentence, describeNode, sentenceOf } from "#core/schema/keyword-sentence.ts";
import { listOf, mergeAll, typesOf, valuesOf } from "#core/schema/merge-schemas.ts";
import { typeOfKeyword, typeOfValue } from "#core/schema/schema-keyword.ts";

/** The types that a node allows, as one node for each type, and whether the node allows null. */
interface Alternatives {
  nodes: JsonObject[];
  nullable: boolean;
}

/**
 * The maximum number of nodes of a schema, and of alternatives of a value. Nodes beyond it allow any value. Alternatives multiply, because
 * Gemini accepts no keywords next to them.
 */
const mostNodes = 3000;
const mostAlternatives = 60;

/** The maximum number of values of any type that are sent as alternatives of all types. Others are allowed in words. */
const mostUntyped = 60;

/** How often a list of any values may be in another list of any values. A further list is allowed in words. */
const nestedLists = 1;

/** Returns the schema for Gemini. */
export function googleSchema(schema: JsonObject): JsonObject {
  return new Converter().convert(schema, nestedLists);
}

/**
 * Returns the parameters of a function for Google's package. The package omits an object without properties unless it allows other keys,
 * which the package does not send.
 */
export function googleParameters(parameters: JsonObject): JsonObject {
  const schema = googleSchema(parameters);
  return schema["properties"] === undefined ? { ...schema, additionalProperties: true } : schema;
}

class Converter {
  #nodes = 0;
  #untyped = 0;

  /** `lists` is how often a list of any values may contain another one. `name` is the property that has the schema. */
  convert(given: JsonObject, lists: number, name = ""): JsonObject {
    this.#nodes += 1;
    const schema = withTitle(this.#nodes > mostNodes ? bounded(given) : given, name);
    if (schema["type"] === undefined && schema["anyOf"] === undefined && valuesOf(schema) === undefined) {
      this.#untyped += 1;
      if (this.#untyped > mostUntyped) {
        return { type: "string", ...descriptionOf(addSentence(schema, "Any JSON value is allowed, not only a text.")) };
      }
    }
    const { nodes, nullable } = alternatives(schema);
    // A value of any type is a list among others, so its items are not described as far as those of a list.
    const inner = schema["type"] === undefined ? 0 : lists;
    const converted = nodes.map((node) => this.#oneType(node, inner));
    const [first, ...others] = [...new Map(converted.map((node) => [JSON.stringify(node), node])).values()];
    if (first === undefined) {
      const { const: _, enum: __, anyOf: ___, ...rest } = schema;
      if (!nullable) return { type: "string", ...descriptionOf(addSentence(rest, "No value fits.")) };
      return orNull({ type: "string", ...descriptionOf({ ...rest, const: null }) });
    }
    const head = nullable ? orNull(first) : first;
    return others.length === 0 ? head : { anyOf: [head, ...others] };
  }

  #oneType(node: JsonObject, lists: number): JsonObject {
    switch (node["type"]) {
      case "string":
        return textNode(node);
      case "object":
        return this.#objectNode(node);
      case "array":
        return this.#listNode(node, lists);
      default:
        return { type: node["type"] ?? "string", ...descriptionOf(node) };
    }
  }

  #listNode(node: JsonObject, lists: number): JsonObject {
    const items = isJsonObject(node["items"]) ? node["items"] : {};
    const prefix = listOf(node["prefixItems"]).filter(isJsonObject);
    if (Object.keys(items).length === 0 && prefix.length === 0 && lists === 0) {
      const described = addSentence(node, "Its items may be lists too.");
      return { type: "array", ...descriptionOf(described), items: this.convert(withoutLists, 0) };
    }
    const isOnlyPrefix = typeof node["maxItems"] === "number" && node["maxItems"] <= prefix.length;
    const all = prefix.length === 0 ? items : { anyOf: isOnlyPrefix ? prefix : [...prefix, items] };
    return { type: "array", ...descriptionOf(node), items: this.convert(all, lists) };
  }

  #objectNode(node: JsonObject): JsonObject {
    const properties = Object.entries(isJsonObject(node["properties"]) ? node["properties"] : {});
    const names = new Set<Json>(properties.map(([name]) => name));
    const required = listOf(node["required"]).filter((name) => names.has(name));
    const missing = listOf(node["required"]).filter((name) => !names.has(name));
    const text = missing.map((name) => JSON.stringify(name)).join(", ");
    const described = missing.length === 0 ? node : addSentence(node, `These keys are required: ${text}.`);
    if (properties.length === 0) return { type: "object", ...descriptionOf(described) };
    return {
      type: "object",
      ...descriptionOf(described),
      properties: Object.fromEntries(
        properties.map(([name, value]) => [name, this.convert(isJsonObject(value) ? value : {}, nestedLists, name)]),
      ),
      ...(required.length === 0 ? {} : { required }),
    };
  }
}

const nothing: ReadonlySet<string> = new Set();
const textKeywords = new Set(["const", "enum", "minLength"]);

/** Any value except a list. */
const withoutLists: JsonObject = { type: ["string", "number", "boolean", "object", "null"] };

/** What remains of a schema beyond the maximum number of nodes. */
function bounded({ type, description }: JsonObject): JsonObject {
  const kept = { ...(type === undefined ? {} : { type }), ...(description === undefined ? {} : { description }) };
  return addSentence(kept, "Its inner parts are left out here.");
}

/** The schema with its title in its description, unless the description or the name of the property contains the title. */
function withTitle(schema: JsonObject, name: string): JsonObject {
  const { title, description = "" } = schema;
  if (typeof title !== "string" || typeof description !== "string" || title === "") return schema;
  const letters = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
  const isKnown = letters(name) === letters(title) || letters(description).includes(letters(title));
  if (isKnown) return schema;
  return { ...schema, description: description === "" ? title : `${title}: ${description}` };
}

/** Returns a node that also allows null, in the form that the package converts to Gemini's `nullable`. */
function orNull({ description, ...node }: JsonObject): JsonObject {
  return { ...(description === undefined ? {} : { description }), anyOf: [node, { type: "null" }] };
}

/** Splits a node into nodes with one type each. Keywords of the node apply to each. */
function alternatives(schema: JsonObject): Alternatives {
  const { anyOf, ...shared } = schema;
  if (Array.isArray(anyOf) && anyOf.length > mostAlternatives) return inWords(schema);
  if (Array.isArray(anyOf)) {
    const inner = anyOf.flatMap((branch) => {
      const merged = mergeAll([shared, branch as JsonObject]);
      return merged === false ? [] : [alternatives(merged)];
    });
    const nodes = inner.flatMap((each) => each.nodes);
    if (nodes.length <= mostAlternatives) return { nodes, nullable: inner.some(({ nullable }) => nullable) };
    return inWords(schema);
  }
  const values = valuesOf(schema);
  const stated = values === undefined || schema["type"] !== undefined ? typesOf(schema) : values.map(typeOfValue);
  const types = [...new Set(stated)];
  const isUntyped = values === undefined && schema["type"] === undefined;
  const { title: _, description: __, default: ___, examples: ____, ...bare } = schema;
  // The first alternative has the description, so that it is not repeated for each type.
  const nodes = types
    .filter((type) => type !== "null")
    .flatMap((type, at) => ofType(isUntyped && at > 0 ? bare : schema, type, values));
  const isNull = types.includes("null") && (values === undefined || values.includes(null));
  return { nodes, nullable: isNull };
}

/** The alternatives of a schema without its `anyOf`, which is described. */
function inWords({ anyOf, ...shared }: JsonObject): Alternatives {
  return alternatives(addSentence(shared, sentenceOf("anyOf", { anyOf: anyOf ?? [] }) ?? ""));
}

/** Returns the node with one type, without keywords about other types. Of the allowed values, only those of that type remain. */
function ofType(schema: JsonObject, type: string, values: Json[] | undefined): JsonObject[] {
  const family = type === "integer" ? "number" : type;
  const rest = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => {
      const own = typeOfKeyword(keyword);
      return !["const", "enum", "type"].includes(keyword) && (own === undefined || own === family);
    }),
  );
  if (values === undefined) return [{ ...rest, type }];
  const own = values.filter((value) => typeOfValue(value) === family);
  const [only] = own;
  if (only === undefined) return [];
  return [{ ...rest, type, ...(own.length === 1 ? { const: only } : { enum: own }) }];
}

function descriptionOf(node: JsonObject, expressed: ReadonlySet<string> = nothing): JsonObject {
  const description = describeNode(node, expressed);
  return description === undefined ? {} : { description };
}

function textNode(node: JsonObject): JsonObject {
  const values = valuesOf(node);
  const filled = values?.filter((value) => value !== "") ?? [];
  // The only string format that Gemini accepts.
  const format = node["format"] === "date-time" ? { format: "date-time" } : {};
  const isList = filled.length > 0;
  const expressed = new Set([...(isList ? textKeywords : ["minLength"]), ...Object.keys(format)]);
  const isEmptyAllowed = isList && values !== undefined && filled.length < values.length;
  const described = isEmptyAllowed ? addSentence(node, 'It may also be "", the empty text.') : node;
  return {
    type: "string",
    ...descriptionOf(described, expressed),
    ...(isList ? { enum: filled } : {}),
    ...format,
    ...(node["minLength"] === undefined ? {} : { minLength: node["minLength"] }),
  };
}
