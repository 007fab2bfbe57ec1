// JSON Schemas as rows.

import { describe, expect, it } from "vitest";

import type { JsonObject } from "#client/index.ts";
import { schemaRows } from "#playground/agents/schema-rows.ts";

function lines(schema: JsonObject): string[] {
  return schemaRows(schema).map(({ path, type, required, bounds }) =>
    [path + (required ? "!" : ""), type, ...bounds].join(" | "),
  );
}

describe("rows of a schema", () => {
  it("The displayed rows of a schema name every property, nested ones and those of lists too, with type and limits", () => {
    expect(
      lines({
        type: "object",
        required: ["name", "parts"],
        properties: {
          name: { type: "string", minLength: 1, pattern: "^a" },
          colour: { enum: ["red", "blue"], default: "red" },
          parts: {
            type: "array",
            maxItems: 3,
            items: { type: "object", required: ["size"], properties: { size: { type: "integer", minimum: 0 } } },
          },
          tags: { type: "array", items: { type: "string", maxLength: 9 } },
          either: { anyOf: [{ type: "string" }, { type: "null" }] },
        },
        additionalProperties: { type: "number" },
      }),
    ).toEqual([
      "name! | string | pattern ^a | length ≥ 1",
      'colour | "red" or "blue" | default red',
      "parts! | list of object | items ≤ 3",
      "parts[].size! | integer | ≥ 0",
      "tags | list of string",
      "tags[] | string | length ≤ 9",
      "either | string or null",
      ".* | number",
    ]);
  });

  it("The displayed rows of a schema follow references, and end at a circular reference", () => {
    const tree = {
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      $defs: {
        node: {
          type: "object",
          required: ["value"],
          properties: { value: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
        },
      },
    };
    expect(lines(tree)).toEqual(["root | object", "root.value! | string", "root.children | list of object"]);
  });

  it("A schema without properties has no rows, and a property with an unknown schema accepts anything", () => {
    expect(lines({})).toEqual([]);
    expect(lines({ properties: { a: true, b: { $ref: "#/nowhere" } } })).toEqual(["a | anything", "b | anything"]);
  });

  it("At most 500 rows of a schema are displayed", () => {
    const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`p${at}`, { type: "string" }]));
    expect(lines({ properties: wide }).length).toBe(500);
  });
});
