// Invents a value that a JSON Schema describes, as a model would.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

const mostDepth = 12;

/**
 * Invents values. A whole value has all properties of the outer two objects whose schemas have their inner parts. Any other value has
 * only the required properties.
 */
export class ExampleValue {
  readonly #isWhole: boolean;

  constructor(isWhole: boolean) {
    this.#isWhole = isWhole;
  }

  /** A value of a schema. */
  of(given: Json | undefined, depth = 0): Json {
    if (given === undefined || depth > mostDepth) return "text";
    const schema = flat(given);
    if (schema["const"] !== undefined) return schema["const"];
    if (Array.isArray(schema["enum"])) return schema["enum"].find((value) => value !== null) ?? null;
    switch (typeOf(schema)) {
      case "object":
        return this.#object(schema, depth);
      case "array":
        return this.#list(schema, depth);
      case "integer":
      case "number":
        return numberOf(schema);
      case "boolean":
        return true;
      case "null":
        return null;
      default:
        return textOf(schema);
    }
  }

  #list({ items, minItems, uniqueItems }: JsonObject, depth: number): Json[] {
    const values = Array.from({ length: Math.max(1, Number(minItems ?? 1)) }, () => this.of(items, depth + 1));
    const isFree = isJsonObject(items) && items["enum"] === undefined;
    if (uniqueItems !== true || !isFree) return values;
    return values.map((value, at) => (typeof value === "string" && at > 0 ? `${value}${at}` : value));
  }

  #object(schema: JsonObject, depth: number): JsonObject {
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const isWanted = (name: string) => this.#isWhole && depth < 2 && !isCut(properties[name]);
    const names = Object.keys(properties).filter((name) => required.includes(name) || isWanted(name));
    return Object.fromEntries(names.map((name) => [name, this.of(properties[name], depth + 1)]));
  }
}

/** The first type of a schema that is not null. A schema with properties describes an object. */
function typeOf({ type, properties }: JsonObject): Json | undefined {
  const first = Array.isArray(type) ? (type.find((each) => each !== "null") ?? type[0]) : type;
  return first ?? (Object.keys((properties as JsonObject | undefined) ?? {}).length > 0 ? "object" : undefined);
}

/** Whether a schema does not state which values it accepts: it accepts any, or its required parts have lost their inner parts. */
function isCut(given: Json | undefined, depth = 0): boolean {
  const schema = flat(given ?? {});
  const { items, minProperties, additionalProperties } = schema;
  const type = typeOf(schema);
  const properties = (schema["properties"] ?? {}) as JsonObject;
  const required = (schema["required"] ?? []) as string[];
  if (depth > mostDepth) return true;
  if (type === "array") return isCut(items, depth + 1);
  if (Object.keys(properties).length > 0) return required.some((name) => isCut(properties[name], depth + 1));
  if (type === "object") return additionalProperties === undefined || minProperties !== undefined;
  return type === undefined && valuesOf(schema) === undefined;
}

/** The schema together with its parts of `allOf` and one of `anyOf`. `known` are the values that an outer schema allows. */
function flat(given: Json, known?: readonly Json[]): JsonObject {
  if (!isJsonObject(given)) return {};
  const { allOf, anyOf, ...own } = given;
  const values = valuesOf(own) ?? known;
  const all = (Array.isArray(allOf) ? allOf : []).map((part) => flat(part, values)).reduce(merge, own);
  return Array.isArray(anyOf) ? merge(all, best(anyOf, valuesOf(all) ?? known)) : all;
}

/** The first alternative that is not null and has one of the known values. */
function best(schemas: readonly Json[], known: readonly Json[] | undefined): JsonObject {
  const read = schemas.map((schema) => flat(schema, known)).filter(({ type }) => type !== "null");
  const isPossible = (schema: JsonObject) => {
    const values = valuesOf(schema);
    return values === undefined || known === undefined || values.some((value) => known.includes(value));
  };
  return read.find(isPossible) ?? read[0] ?? {};
}

function valuesOf({ const: only, enum: values }: JsonObject): readonly Json[] | undefined {
  return only === undefined ? (Array.isArray(values) ? values : undefined) : [only];
}

function merge(one: JsonObject, other: JsonObject): JsonObject {
  const [left, right] = [valuesOf(one), valuesOf(other)];
  const both = left === undefined ? right : right === undefined ? left : left.filter((value) => right.includes(value));
  const { const: _, ...more } = { ...other, ...one };
  return {
    ...more,
    ...(both === undefined ? {} : { enum: [...both] }),
    properties: { ...(one["properties"] as JsonObject), ...(other["properties"] as JsonObject) },
    required: [
      ...((one["required"] as Json[] | undefined) ?? []),
      ...((other["required"] as Json[] | undefined) ?? []),
    ],
  };
}

function numberOf({ minimum, maximum, exclusiveMinimum, multipleOf }: JsonObject): number {
  const least = typeof minimum === "number" ? minimum : typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : 1;
  if (Math.abs(least) > Number.MAX_SAFE_INTEGER) return 1;
  const most = typeof maximum === "number" ? Math.min(least, maximum) : least;
  return typeof multipleOf === "number" ? Math.ceil(most / multipleOf) * multipleOf : most;
}

function textOf({ minLength, maxLength, format }: JsonObject): string {
  const text = format === "date" ? "2026-01-02" : format === "date-time" ? "2026-01-02T03:04:05Z" : "text";
  return text.padEnd(Number(minLength ?? 0), "x").slice(0, Number(maxLength ?? 1000));
}
