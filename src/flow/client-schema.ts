// The parameters of a tool that a client brings: JSON Schema from outside. References are put in place, so that no circle and
// no swelling is left; what bounds arguments is applied to a model's call, patterns and formats are the client's own to apply.

import { z } from "zod";

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { errorMessage } from "#core/cut-text.ts";
import type { CheckedArguments } from "#core/ports/tool-port.ts";
import { checkArguments } from "#core/tools/check-arguments.ts";

import { checkableSchema } from "./checkable-schema.ts";
import { isKeywordValue } from "./schema-keyword.ts";

/** Schemas in one, references put in place. */
const mostNodes = 2000;
const deepest = 32;

/** UTF-16 units of JSON, references put in place. */
const mostUnits = 64 * 1024;

/** Parameters that can be used. */
export interface ClientSchema {
  /** What a model is sent: draft 7 of an object, without references. */
  parameters: JsonObject;
  check: (args: JsonObject) => CheckedArguments;
}

class Unfit extends Error {}

/** The schema, or what is wrong with it. Contract: never throws; bounded work whatever is given. */
export function clientSchema(given: JsonObject | null): ClientSchema | { problem: string } {
  try {
    const parameters = given === null ? { type: "object", properties: {} } : rootOf(given);
    const schema = z.fromJSONSchema(checkableSchema(parameters) as Parameters<typeof z.fromJSONSchema>[0]);
    return {
      parameters,
      check: (args) => {
        const checked = checkArguments(schema, args);
        // As the model wrote them: the client reads its own schema.
        return checked.ok ? { ok: true, args } : checked;
      },
    };
  } catch (thrown) {
    return { problem: thrown instanceof Unfit ? thrown.message : `cannot be used: ${errorMessage(thrown)}` };
  }
}

function rootOf(given: JsonObject): JsonObject {
  const resolved = new Resolver(given).resolve(given, { path: "", depth: 0, trail: [] });
  if (!isJsonObject(resolved)) throw new Unfit("has to describe an object");
  const { type = "object" } = resolved;
  if (type !== "object") throw new Unfit('has to be of type "object"');
  return { ...resolved, type };
}

/** Where the walk stands; `trail` has the references it came by. */
interface Place {
  path: string;
  depth: number;
  trail: readonly string[];
}

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const single = new Set(["additionalProperties", "items", "contains", "not", "if", "then", "else", "propertyNames"]);
const listed = new Set(["anyOf", "oneOf", "allOf", "prefixItems", "items"]);
const named = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** Of no more use, or of a kind that leads elsewhere. */
const dropped = new Set(["$ref", "$defs", "definitions", "$schema", "$id", "id", "$anchor", "$comment", "$vocabulary"]);
const refused = new Set(["$dynamicRef", "$recursiveRef", "$dynamicAnchor", "$recursiveAnchor"]);

class Resolver {
  readonly #root: JsonObject;
  #nodes = 0;
  #units = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  resolve(schema: Json | undefined, place: Place): Json {
    this.#nodes += 1;
    if (this.#nodes > mostNodes) throw new Unfit(`has more than ${mostNodes} schemas in it`);
    if (place.depth > deepest) throw new Unfit(`is nested deeper than ${deepest}`);
    if (typeof schema === "boolean") return schema;
    if (!isJsonObject(schema)) throw new Unfit(`is no schema at ${place.path || "its root"}`);
    const { $ref } = schema;
    const own = Object.fromEntries(Object.entries(schema).flatMap(([key, value]) => this.#keyword(key, value, place)));
    if ($ref === undefined) return own;
    const target = this.#target($ref, place);
    return isJsonObject(target) ? { ...target, ...own } : target;
  }

  #keyword(key: string, value: Json, place: Place): [string, Json][] {
    if (refused.has(key)) throw new Unfit(`uses ${key}, which is not taken`);
    if (dropped.has(key) && typeof value !== "object") return [];
    if (key === "$defs" || key === "definitions") return [];
    const path = place.path === "" ? key : `${place.path}.${key}`;
    const inner = { ...place, path, depth: place.depth + 1 };
    if (named.has(key)) return [[key, this.#byName(value, inner)]];
    if (listed.has(key) && Array.isArray(value)) return [[key, value.map((one) => this.resolve(one, inner))]];
    if (listed.has(key) && !single.has(key)) throw new Unfit(`is no list of schemas at ${path}`);
    if (single.has(key)) return [[key, this.resolve(value, inner)]];
    if (!isKeywordValue(key, value)) throw new Unfit(`cannot have this value at ${path}`);
    this.#units += key.length + JSON.stringify(value).length;
    if (this.#units > mostUnits) throw new Unfit(`has more than ${mostUnits} characters`);
    return [[key, value]];
  }

  #byName(value: Json, place: Place): JsonObject {
    if (!isJsonObject(value)) throw new Unfit(`is no object at ${place.path}`);
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => {
        if (name === "__proto__") throw new Unfit('has a property "__proto__", which is not taken');
        this.#units += name.length;
        return [name, this.resolve(schema, { ...place, path: `${place.path}.${name}` })];
      }),
    );
  }

  /** What a reference points to within the schema itself. */
  #target(reference: Json, place: Place): Json {
    if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) {
      throw new Unfit(`refers to ${JSON.stringify(reference).slice(0, 100)}; only "#/…" is taken`);
    }
    if (reference === "#" || place.trail.includes(reference)) {
      throw new Unfit(`refers to itself by ${reference.slice(0, 100)}, which is not taken`);
    }
    let found: Json | undefined = this.#root;
    for (const part of reference.split("/").slice(1)) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }
    if (found === undefined) throw new Unfit(`refers to ${reference.slice(0, 100)}, which is not there`);
    return this.resolve(found, { path: reference, depth: place.depth + 1, trail: [...place.trail, reference] });
  }
}
