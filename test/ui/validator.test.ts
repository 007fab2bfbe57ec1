// The forms' validator, which reads schemas and compiles none.

import { describe, expect, it } from "vitest";

import { interpretingValidator } from "#ui/schema-form/validator.ts";

const validator = interpretingValidator();

describe("the validator of forms", () => {
  it("UI65 says where a value does not fit, and nothing where it does", () => {
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

  it("UI65 knows what the whole schema defines when it is asked of a part", () => {
    const root = { $defs: { name: { type: "string" } }, type: "object" } as const;
    expect(validator.isValid({ $ref: "#/$defs/name" }, "A", root as object)).toBe(true);
    expect(validator.isValid({ $ref: "#/$defs/name" }, 1, root as object)).toBe(false);
  });
});
