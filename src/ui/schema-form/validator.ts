// Holds a value against a JSON Schema by reading the schema, not by compiling it into code, which the page's policy forbids. In the
// form that the form library asks for.

import { Validator } from "@cfworker/json-schema";
import type { OutputUnit, Schema } from "@cfworker/json-schema";
import { toErrorSchema } from "@rjsf/utils";
import type { RJSFSchema, RJSFValidationError, ValidatorType } from "@rjsf/utils";

/** The validator. */
export function interpretingValidator(): ValidatorType {
  const errorsOf = (schema: RJSFSchema, value: unknown): RJSFValidationError[] => {
    const { errors } = new Validator(schema as Schema, "2020-12", false).validate(value);
    return leaves(errors).map(errorOf);
  };
  return {
    validateFormData: (value, schema) => {
      const errors = errorsOf(schema, value);
      return { errors, errorSchema: toErrorSchema(errors) };
    },
    // A schema inside of another one may refer to what the other defines.
    isValid: (schema, value, root) => {
      const whole = { ...schema, $defs: { ...root.$defs, ...schema.$defs }, definitions: { ...root.definitions } };
      return new Validator(whole as Schema, "2020-12").validate(value).valid;
    },
    rawValidation: <Result>(schema: RJSFSchema, value?: unknown) => ({ errors: errorsOf(schema, value) as Result[] }),
  };
}

/** Of an error and those that explain it, the ones that explain it. */
function leaves(units: readonly OutputUnit[]): OutputUnit[] {
  return units.filter(
    ({ instanceLocation, keyword }) =>
      !["properties", "items", "$ref", "allOf"].includes(keyword) ||
      !units.some((other) => other.instanceLocation.startsWith(`${instanceLocation}/`)),
  );
}

function errorOf({ instanceLocation, keyword, error }: OutputUnit): RJSFValidationError {
  const property = instanceLocation.replace(/^#/, "").replaceAll("/", ".");
  return { name: keyword, property, message: error, stack: property === "" ? error : `${property.slice(1)}: ${error}` };
}
