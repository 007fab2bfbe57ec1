// Converts schemas of a document to the schema of a tool's arguments. References are replaced by their targets. A schema that contains itself,
// and one that is too large, becomes a description without its inner parts.

import { isJsonObject, type Json, type JsonObject } from "#contract/json.ts";
import { addSentence, sentenceOf } from "#core/schema/keyword-sentence.ts";

import { outsideText } from "../outside-text.ts";
import { entriesOf, follow, listOf, textOf } from "./api-document.ts";

/** The maximum number of schemas in the arguments of an operation, and of UTF-16 units of their texts. */
const mostSchemas = 600;
const mostUnits = 24 * 1024;

/** The depths to which a schema is read. The first one with which it is within the bounds is used. */
const depths = [12, 9, 7, 6, 5, 4, 3, 2, 1];

/** How much deeper an inner schema is. A call is valid without an optional property, so its inner parts are left out first. */
const steps = { required: 1, optional: 3, other: 1 };

const textLimit = 300;
const patternLimit = 200;
const mostValues = 100;

const types = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);

/** The keywords with a number or a flag as their value. */
const plainKeywords: Record<string, (value: Json) => boolean> = {
  ...Object.fromEntries(["minimum", "maximum"].map((key) => [key, isNumber])),
  ...Object.fromEntries(
    ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"].map((key) => [key, isCount]),
  ),
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  uniqueItems: (value) => typeof value === "boolean",
  format: (value) => typeof value === "string" && value.length <= textLimit,
  pattern: isPattern,
};

/** The keywords that become sentences of the description. */
const describedKeywords = [
  ..."prefixItems contains unevaluatedItems dependentRequired dependentSchemas patternProperties propertyNames".split(
    " ",
  ),
  ..."unevaluatedProperties not if".split(" "),
];

/** The keywords with inner schemas. */
const partKeywords = ["properties", "items", "additionalProperties", "allOf", "anyOf", "oneOf"];

/** What a model reads in place of inner schemas. */
const leftOut = "Its inner parts are left out here.";

class TooLarge extends Error {}

/** The schemas with these descriptions, in the order given. A large schema loses inner parts. */
export function argumentSchemas(
  document: JsonObject,
  given: readonly { schema: Json | undefined; description?: string | undefined }[],
): JsonObject[] {
  for (const depth of depths) {
    const reader = new SchemaReader(document, depth);
    try {
      return given.map(({ schema, description }) => {
        const read = reader.read(schema, 0, []);
        return description === undefined ? read : { ...read, description: outsideText(description, textLimit) };
      });
    } catch (thrown) {
      if (!(thrown instanceof TooLarge)) throw thrown;
    }
  }
  return given.map(() => ({}));
}

class SchemaReader {
  readonly #document: JsonObject;
  readonly #mostDepth: number;
  #schemas = 0;
  #units = 0;

  constructor(document: JsonObject, mostDepth: number) {
    this.#document = document;
    this.#mostDepth = mostDepth;
  }

  /** `trail` are the references around the schema. */
  read(given: Json | undefined, depth: number, trail: readonly string[]): JsonObject {
    this.#count(1, 10);
    const found = follow(this.#document, given);
    if (found === null) return {};
    // Since version 3.1 a schema may have other keywords next to a reference.
    const schema: JsonObject = isJsonObject(given) ? { ...found.value, ...given } : found.value;
    const isCircular = found.path.some((reference) => trail.includes(reference));
    const plain = this.#plain(schema);
    if (isCircular || depth >= this.#mostDepth) {
      const isWhole = !partKeywords.some((key) => schema[key] !== undefined);
      if (!isWhole) this.#count(0, leftOut.length);
      return isWhole ? plain : withoutParts(plain);
    }
    return { ...plain, ...this.#parts(schema, depth, [...trail, ...found.path]) };
  }

  #plain(schema: JsonObject): JsonObject {
    let result: JsonObject = { ...typeOf(schema) };
    const description = textOf(schema["description"]);
    if (description !== undefined) result["description"] = outsideText(description, textLimit);
    for (const [key, isValid] of Object.entries(plainKeywords)) {
      const value = schema[key];
      if (value !== undefined && isValid(value)) result[key] = value;
    }
    for (const [key, bound] of [
      ["exclusiveMinimum", "minimum"],
      ["exclusiveMaximum", "maximum"],
    ] as const) {
      const value = schema[key];
      if (typeof value === "number") result[key] = value;
      // In version 3.0 this keyword is a flag of the bound.
      if (value !== true || result[bound] === undefined) continue;
      result[key] = result[bound];
      delete result[bound];
    }
    const values = listOf(schema["enum"]);
    if (values.length > 0 && values.length <= mostValues && values.every(isPlain)) {
      result["enum"] = schema["nullable"] === true && !values.includes(null) ? [...values, null] : values;
    }
    for (const key of ["const", "default"] as const) if (isPlain(schema[key])) result[key] = schema[key] as Json;
    if (schema["deprecated"] === true) result["deprecated"] = true;
    // Of the other keywords, those that are too long or too complex for the schema are described too.
    const left = ["enum", "const", "default", "pattern"].filter((key) => result[key] === undefined);
    for (const key of [...left, ...describedKeywords]) {
      const { format: _, ...unformatted } = schema;
      const sentence = sentenceOf(key, unformatted);
      if (sentence !== null) result = addSentence(result, outsideText(sentence, textLimit));
    }
    this.#count(0, JSON.stringify(result).length);
    return result;
  }

  #parts(schema: JsonObject, depth: number, trail: readonly string[]): JsonObject {
    const result: JsonObject = {};
    const properties = entriesOf(schema["properties"]).filter(([key]) => key !== "__proto__");
    const required = new Set(listOf(schema["required"]).filter((key) => typeof key === "string"));
    const readOnly = new Set(properties.flatMap(([key, value]) => (this.#isRead(value) ? [key] : [])));
    if (isJsonObject(schema["properties"])) {
      const read = properties.flatMap(([key, value]): [string, JsonObject][] => {
        if (readOnly.has(key)) return [];
        this.#count(0, key.length);
        const step = required.has(key) ? steps.required : steps.optional;
        return [[key, this.read(value, depth + step, trail)]];
      });
      result["properties"] = Object.fromEntries(read);
    }
    const asked = [...required].filter((key) => !readOnly.has(key));
    if (asked.length > 0) {
      this.#count(0, JSON.stringify(asked).length);
      result["required"] = asked;
    }
    for (const key of ["items", "additionalProperties"] as const) {
      const value = schema[key];
      if (typeof value === "boolean") result[key] = value;
      else if (isJsonObject(value)) result[key] = this.read(value, depth + steps.other, trail);
    }
    for (const key of ["allOf", "anyOf", "oneOf"] as const) {
      const inner = listOf(schema[key]);
      if (inner.length === 0) continue;
      // Schemas that lost inner parts may overlap, so exactly one match is not required.
      const kept = key === "allOf" ? "allOf" : "anyOf";
      const read = inner.map((each) => this.read(each, depth + steps.other, trail));
      result[kept] = [...listOf(result[kept]), ...read];
    }
    return result;
  }

  /** Whether a property is only in responses. */
  #isRead(property: Json): boolean {
    return follow(this.#document, property)?.value["readOnly"] === true;
  }

  #count(schemas: number, units: number): void {
    this.#schemas += schemas;
    this.#units += units;
    if (this.#schemas > mostSchemas || this.#units > mostUnits) throw new TooLarge();
  }
}

/** What remains of a schema that is not read further. */
function withoutParts(plain: JsonObject): JsonObject {
  const description = [textOf(plain["description"]) ?? "", leftOut].join(" ").trim();
  return { ...plain, description };
}

function typeOf(schema: JsonObject): JsonObject {
  const given = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]];
  const known = given.filter((type): type is string => typeof type === "string" && types.has(type));
  const implied = known.length > 0 ? known : isJsonObject(schema["properties"]) ? ["object"] : [];
  if (implied.length === 0) return {};
  const all = schema["nullable"] === true && !implied.includes("null") ? [...implied, "null"] : implied;
  return { type: all.length === 1 ? (all[0] ?? "string") : all };
}

function isNumber(value: Json): boolean {
  return typeof value === "number" && Number.isFinite(value);
}

function isCount(value: Json): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isPlain(value: Json | undefined): boolean {
  return (
    value === null ||
    typeof value === "number" ||
    typeof value === "boolean" ||
    (typeof value === "string" && value.length <= textLimit)
  );
}

function isPattern(value: Json): boolean {
  if (typeof value !== "string" || value.length > patternLimit) return false;
  try {
    return new RegExp(value, "u").source !== "";
  } catch {
    return false;
  }
}
