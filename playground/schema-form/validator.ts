// Validates a value by interpreting its JSON Schema. Compiling the schema into code is not possible, because the page's
// policy forbids it. The validator has the interface of the form library.

import { Validator } from "@cfworker/json-schema";
import type { OutputUnit, Schema } from "@cfworker/json-schema";
import { toErrorSchema } from "@rjsf/utils";
import type { RJSFSchema, RJSFValidationError, ValidatorType } from "@rjsf/utils";

export function interpretingValidator(): ValidatorType {
  const errorsOf = (schema: RJSFSchema, value: unknown): RJSFValidationError[] => {
    const { errors } = new Validator(schema as Schema, "2020-12", false).validate(value);
    return leaves(errors).map((unit) => errorOf(unit, schema));
  };
  return {
    validateFormData: (value, schema) => {
      const errors = errorsOf(schema, value);
      return { errors, errorSchema: toErrorSchema(errors) };
    },
    // A schema within another one may refer to the other's definitions.
    isValid: (schema, value, root) => {
      const whole = { ...schema, $defs: { ...root.$defs, ...schema.$defs }, definitions: { ...root.definitions } };
      return new Validator(whole as Schema, "2020-12").validate(value).valid;
    },
    rawValidation: <Result>(schema: RJSFSchema, value?: unknown) => ({ errors: errorsOf(schema, value) as Result[] }),
  };
}

/** The most specific errors: those that no other error explains. */
function leaves(units: readonly OutputUnit[]): OutputUnit[] {
  return units.filter(
    ({ instanceLocation, keyword }) =>
      !["properties", "items", "$ref", "allOf"].includes(keyword) ||
      !units.some((other) => other.instanceLocation.startsWith(`${instanceLocation}/`)),
  );
}

function errorOf(unit: OutputUnit, schema: RJSFSchema): RJSFValidationError {
  const { instanceLocation, keyword } = unit;
  // The error of a missing field is shown at that field, not at its object.
  const missing = keyword === "required" ? /"([^"]*)"/.exec(unit.error)?.[1] : undefined;
  const place = instanceLocation.replace(/^#/, "").replaceAll("/", ".");
  const property = missing === undefined ? place : `${place}.${missing}`;
  const message = messageOf(unit, limitAt(schema, unit.keywordLocation));
  return { name: keyword, property, message, stack: property === "" ? message : `${property.slice(1)}: ${message}` };
}

/** The schema's value at a location; undefined if a reference leads there. */
function limitAt(schema: RJSFSchema, location: string): unknown {
  return location
    .split("/")
    .slice(1)
    .reduce<unknown>(
      (at, name) =>
        typeof at === "object" && at !== null
          ? (at as Record<string, unknown>)[decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~")]
          : undefined,
      schema,
    );
}

/** The requirement that a value does not meet, for the person who fills in the form. */
function messageOf({ keyword, error }: OutputUnit, limit: unknown): string {
  const text = typeof limit === "string" || typeof limit === "number" ? String(limit) : JSON.stringify(limit);
  const known = limit !== undefined;
  switch (keyword) {
    case "required":
      return "This field is required.";
    case "type":
      return known ? `Must be of type ${Array.isArray(limit) ? limit.join(" or ") : text}.` : "Has the wrong type.";
    case "enum":
      return known ? `Must be one of ${text}.` : "Must be one of the listed values.";
    case "const":
      return known ? `Must be ${text}.` : error;
    case "minimum":
      return known ? `Must be at least ${text}.` : error;
    case "maximum":
      return known ? `Must be at most ${text}.` : error;
    case "exclusiveMinimum":
      return known ? `Must be greater than ${text}.` : error;
    case "exclusiveMaximum":
      return known ? `Must be less than ${text}.` : error;
    case "multipleOf":
      return known ? `Must be a multiple of ${text}.` : error;
    case "minLength":
      return known ? `Must have at least ${text} characters.` : error;
    case "maxLength":
      return known ? `Must have at most ${text} characters.` : error;
    case "minItems":
      return known ? `Must have at least ${text} items.` : error;
    case "maxItems":
      return known ? `Must have at most ${text} items.` : error;
    case "pattern":
      return known ? `Must match the pattern ${text}.` : "Does not match the pattern.";
    case "format":
      return known ? `Must be a valid ${text}.` : "Has the wrong format.";
    default:
      return error.replace(/^Instance /, "The value ");
  }
}
