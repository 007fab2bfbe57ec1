// Reads the parameters of a client's tool: an untrusted JSON Schema. References are replaced by their targets. A circular reference is
// refused, and so is a schema that becomes too large by the replacement. A model's arguments are checked by the schema as it was given.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { errorMessage } from "#core/cut-text.ts";
import type { CheckedArguments } from "#core/ports/tool-port.ts";
import { checkBySchema } from "#core/schema/check-value.ts";

import { isKeywordValue } from "./schema-keyword.ts";

/** How many schemas one schema may contain after references are replaced. */
const maxSchemas = 2000;
const maxDepth = 32;

/** UTF-16 units of JSON after references are replaced. */
const maxUnits = 64 * 1024;

/** The parameters of a client's tool: the schema that a model receives, and the check of a call's arguments. */
export interface ClientSchema {
  /** The schema that the model receives: an object schema without references. */
  parameters: JsonObject;
  check: (args: JsonObject) => CheckedArguments;
}

/** A schema that cannot be used. The message completes a sentence such as "The schema of x …". */
class UnusableSchema extends Error {}

/** Reads a schema; null means no parameters. `problem` is the reason why it cannot be used. Contract: never throws; the work is bounded. */
export function clientSchema(given: JsonObject | null): ClientSchema | { problem: string } {
  try {
    const parameters = given === null ? { type: "object", properties: {} } : resolveRoot(given);
    return {
      parameters,
      check: (args) => {
        if (!isJsonObject(args)) return { ok: false, problem: "(top level): has to be an object" };
        const checked = checkBySchema(given ?? true, args);
        // The arguments are passed on unchanged, because the client applies its own schema to them.
        return checked.ok ? { ok: true, args } : { ok: false, problem: checked.problem, isTooMuch: checked.isTooMuch };
      },
    };
  } catch (thrown) {
    return { problem: thrown instanceof UnusableSchema ? thrown.message : `cannot be used: ${errorMessage(thrown)}` };
  }
}

function resolveRoot(given: JsonObject): JsonObject {
  const resolved = new Resolver(given).resolve(given, { path: "", depth: 0, trail: [] });
  if (!isJsonObject(resolved)) throw new UnusableSchema("has to describe an object");
  const { type = "object" } = resolved;
  if (type !== "object") throw new UnusableSchema('has to be of type "object"');
  return { ...resolved, type };
}

/** A position in the schema. `trail` lists the references that led to it. */
interface SchemaPosition {
  path: string;
  depth: number;
  trail: readonly string[];
}

/** Keywords whose value is one schema (`single`), a list of schemas (`listed`), or schemas by name (`named`). */
const single = new Set(["additionalProperties", "items", "contains", "not", "if", "then", "else", "propertyNames"]);
const listed = new Set(["anyOf", "oneOf", "allOf", "prefixItems", "items"]);
const named = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** Keywords that are dropped: identifiers, definitions, references and comments. They have no effect after references are replaced. */
const dropped = new Set(["$ref", "$defs", "definitions", "$schema", "$id", "id", "$anchor", "$comment", "$vocabulary"]);
const refused = new Set(["$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor"]);

class Resolver {
  readonly #root: JsonObject;
  #nodes = 0;
  #units = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  resolve(schema: Json | undefined, position: SchemaPosition): Json {
    this.#nodes += 1;
    if (this.#nodes > maxSchemas) throw new UnusableSchema(`has more than ${maxSchemas} schemas in it`);
    if (position.depth > maxDepth) throw new UnusableSchema(`is nested deeper than ${maxDepth}`);
    if (typeof schema === "boolean") return schema;
    if (!isJsonObject(schema)) throw new UnusableSchema(`is no schema at ${position.path || "its root"}`);
    const { $ref } = schema;
    const keywords = Object.fromEntries(
      Object.entries(schema).flatMap(([key, value]) => this.#keyword(key, value, position)),
    );
    if ($ref === undefined) return keywords;
    const target = this.#target($ref, position);
    return isJsonObject(target) ? { ...target, ...keywords } : target;
  }

  #keyword(key: string, value: Json, place: SchemaPosition): [string, Json][] {
    if (refused.has(key)) throw new UnusableSchema(`uses ${key}, which is not taken`);
    if (dropped.has(key) && typeof value !== "object") return [];
    if (key === "$defs" || key === "definitions") return [];
    const path = place.path === "" ? key : `${place.path}.${key}`;
    const inner = { ...place, path, depth: place.depth + 1 };
    if (named.has(key)) return [[key, this.#byName(value, inner)]];
    if (listed.has(key) && Array.isArray(value)) return [[key, value.map((one) => this.resolve(one, inner))]];
    if (listed.has(key) && !single.has(key)) throw new UnusableSchema(`is no list of schemas at ${path}`);
    if (single.has(key)) return [[key, this.resolve(value, inner)]];
    if (!isKeywordValue(key, value)) throw new UnusableSchema(`cannot have this value at ${path}`);
    this.#units += key.length + JSON.stringify(value).length;
    if (this.#units > maxUnits) throw new UnusableSchema(`has more than ${maxUnits} characters`);
    return [[key, value]];
  }

  #byName(value: Json, place: SchemaPosition): JsonObject {
    if (!isJsonObject(value)) throw new UnusableSchema(`is no object at ${place.path}`);
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => {
        if (name === "__proto__") throw new UnusableSchema('has a property "__proto__", which is not taken');
        this.#units += name.length;
        return [name, this.resolve(schema, { ...place, path: `${place.path}.${name}` })];
      }),
    );
  }

  /** The resolved target of a reference within the schema. */
  #target(reference: Json, place: SchemaPosition): Json {
    if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) {
      throw new UnusableSchema(`refers to ${JSON.stringify(reference).slice(0, 100)}; only "#/…" is taken`);
    }
    if (reference === "#" || place.trail.includes(reference)) {
      throw new UnusableSchema(`refers to itself by ${reference.slice(0, 100)}, which is not taken`);
    }
    let found: Json | undefined = this.#root;
    for (const part of reference.split("/").slice(1)) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }
    if (found === undefined) throw new UnusableSchema(`refers to ${reference.slice(0, 100)}, which is not there`);
    return this.resolve(found, { path: reference, depth: place.depth + 1, trail: [...place.trail, reference] });
  }
}
