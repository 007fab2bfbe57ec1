// Invents a value that a JSON Schema describes, as a model would.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";

const mostDepth = 12;

/**
 * Invents values. A whole value has all properties of the outer two objects whose schemas have their inner parts. Another one has only those that
 * are required.
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
    const first = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
    const type =
      first ?? (Object.keys((schema["properties"] as JsonObject | undefined) ?? {}).length > 0 ? "object" : undefined);
    switch (type) {
      case "object":
        return this.#object(schema, depth);
      case "array":
        return Array.from({ length: Math.max(1, Number(schema["minItems"] ?? 1)) }, () =>
          this.of(schema["items"], depth + 1),
        );
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

  #object(schema: JsonObject, depth: number): JsonObject {
    const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
    const required = Array.isArray(schema["required"]) ? schema["required"] : [];
    const isWanted = (name: string) => this.#isWhole && depth < 2 && !isCut(properties[name]);
    const names = Object.keys(properties).filter((name) => required.includes(name) || isWanted(name));
    return Object.fromEntries(names.map((name) => [name, this.of(properties[name], depth + 1)]));
  }
}

/** Whether a schema does not say which values it accepts: any, or one that lost its inner parts. */
function isCut(given: Json | undefined): boolean {
  const schema = flat(given ?? {});
  const { type, items, additionalProperties } = schema;
  const hasProperties = Object.keys((schema["properties"] as JsonObject | undefined) ?? {}).length > 0;
  if (type === "array") return isCut(items);
  if (type === "object") return !hasProperties && additionalProperties === undefined;
  return type === undefined && !hasProperties && schema["enum"] === undefined && schema["const"] === undefined;
}

/** The alternative that is not null, if there is one. */
function best(schemas: readonly Json[]): Json {
  return schemas.find((schema) => isJsonObject(schema) && schema["type"] !== "null") ?? schemas[0] ?? {};
}

/** The schema together with its parts of `allOf` and one of `anyOf`. */
function flat(schema: Json): JsonObject {
  if (!isJsonObject(schema)) return {};
  const { allOf, anyOf, ...own } = schema;
  const parts = [...(Array.isArray(allOf) ? allOf : []), ...(Array.isArray(anyOf) ? [best(anyOf)] : [])].map(flat);
  return parts.reduce<JsonObject>((all, part) => {
    const properties = { ...(all["properties"] as JsonObject), ...(part["properties"] as JsonObject) };
    const required = [
      ...((all["required"] as Json[] | undefined) ?? []),
      ...((part["required"] as Json[] | undefined) ?? []),
    ];
    return { ...part, ...all, properties, required };
  }, own);
}

function numberOf({ minimum, maximum, exclusiveMinimum, multipleOf }: JsonObject): number {
  const least = typeof minimum === "number" ? minimum : typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : 1;
  const most = typeof maximum === "number" ? Math.min(least, maximum) : least;
  return typeof multipleOf === "number" ? Math.ceil(most / multipleOf) * multipleOf : most;
}

function textOf({ minLength, maxLength, format }: JsonObject): string {
  const text = format === "date" ? "2026-01-02" : format === "date-time" ? "2026-01-02T03:04:05Z" : "text";
  return text.padEnd(Number(minLength ?? 0), "x").slice(0, Number(maxLength ?? 1000));
}
