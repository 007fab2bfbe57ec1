// The forms' validator, which interprets schemas and compiles none.

import { describe, expect, it } from "vitest";

import { interpretingValidator } from "#playground/schema-form/validator.ts";

const validator = interpretingValidator();

describe("the validator of forms", () => {
  it("The validator of forms reports the field of an invalid value, and no error for a valid form", () => {
    const schema = {
      type: "object",
      properties: {
        item: { type: "string" },
        price: { type: "number", exclusiveMinimum: 0 },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["item"],
    } as const;
    expect(validator.validateFormData({ item: "A", price: 1 }, schema as object).errors).toEqual([]);
    const { errors, errorSchema } = validator.validateFormData(
      { item: "A", price: -1, tags: ["a", 2] },
      schema as object,
    );
    expect(errors.map(({ property }) => property)).toEqual([".price", ".tags.1"]);
    expect(errorSchema).toMatchObject({
      price: { __errors: [expect.any(String)] },
      tags: { 1: { __errors: [expect.any(String)] } },
    });
    expect(validator.validateFormData({}, schema as object).errors).not.toEqual([]);
  });

  it.each([
    [{ type: "number", exclusiveMinimum: 0 }, -5, "Must be greater than 0."],
    [{ type: "number", minimum: 1 }, 0, "Must be at least 1."],
    [{ type: "string" }, 3, "Must be of type string."],
    [{ enum: ["a", "b"] }, "c", 'Must be one of ["a","b"].'],
    [{ type: "string", minLength: 2 }, "a", "Must have at least 2 characters."],
    [{ type: "string", pattern: "^x" }, "a", "Must match the pattern ^x."],
  ])(
    "The message at a field with an invalid value states the requirement of the schema: %o",
    (field, value, message) => {
      const schema = { type: "object", properties: { field }, required: ["field"] } as object;
      expect(validator.validateFormData({ field: value }, schema).errorSchema).toMatchObject({
        field: { __errors: [message] },
      });
      expect(validator.validateFormData({}, schema).errorSchema).toMatchObject({
        field: { __errors: ["This field is required."] },
      });
    },
  );

  it("The validator of forms resolves a reference in a part of a schema by the definitions of the whole schema", () => {
    const root = { $defs: { name: { type: "string" } }, type: "object" } as const;
    expect(validator.isValid({ $ref: "#/$defs/name" }, "A", root as object)).toBe(true);
    expect(validator.isValid({ $ref: "#/$defs/name" }, 1, root as object)).toBe(false);
  });
});
