// Schemas of MCP tools for which a provider refused whole requests: what each wire is sent in their place, over HTTP.

import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import type { ToolSpec } from "#core/ports/model-port.ts";
import { clientSchema } from "#flow/setup/client-schema.ts";

import { schemaProblems, schemaWires, type SchemaWire } from "../support/wire-rules/schema-problems.mjs";
import { parametersOf, sentParameters, sentTools } from "./sent-parameters.ts";

/** The tool as a step offers it. */
function tool(name: string, inputSchema: unknown): ToolSpec {
  const read = clientSchema(inputSchema as JsonObject, { tolerant: true });
  if ("problem" in read) throw new Error(read.problem);
  return { name, description: "Acts", parameters: read.parameters };
}

const good = tool("good", { type: "object", properties: { city: { type: "string" } }, required: ["city"] });

/** Sends a good tool and one with the schema. Returns the schema that was sent, after the checks that hold for all of them. */
async function sent(wire: SchemaWire, inputSchema: unknown): Promise<unknown> {
  const { body, warnings } = await sentTools(wire, [good, tool("odd", inputSchema)]);
  const [first, odd] = [parametersOf(wire, body), parametersOf(wire, body, 1)];
  expect(schemaProblems(wire, first)).toEqual([]);
  expect(schemaProblems(wire, odd)).toEqual([]);
  expect(warnings).toBe("");
  return odd;
}

const kind = (value: string): object => ({
  type: "object",
  properties: { kind: { const: value } },
  required: ["kind"],
});

describe.for(schemaWires)("The wire %s", (wire) => {
  const isGoogle = wire === "google" || wire === "gemini";

  it("A tool with alternatives at the root is sent as one object with the properties of all of them, and a sentence", async () => {
    const text = 'Exactly one of these alternatives applies: (1) needs "kind" = "a"; (2) needs "kind" = "b".';
    const isTyped = isGoogle || wire === "moonshot";
    expect(await sent(wire, { type: "object", oneOf: [kind("a"), kind("b")] })).toEqual({
      type: "object",
      properties: { kind: { enum: ["a", "b"], ...(isTyped ? { type: "string" } : {}) } },
      required: ["kind"],
      description: text,
    });
    const update = {
      type: "object",
      properties: { id: { type: "string" }, title: { type: "string" }, body: { type: "string" } },
      required: ["id"],
      anyOf: [{ required: ["title"] }, { required: ["body"] }],
    };
    expect(await sent(wire, update)).toEqual({
      type: "object",
      properties: update.properties,
      required: ["id"],
      description: 'At least one of these alternatives applies: (1) needs "title"; (2) needs "body".',
    });
  });

  it("A tool with conditions, enum, const and not at the root is sent as an object whose description states them", async () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" } },
      if: { properties: { a: { const: "x" } }, required: ["a"] },
      ...Object.fromEntries(["then"].map((key) => [key, { required: ["b"], properties: { b: { type: "string" } } }])),
      not: { required: ["c"] },
      enum: [{ a: "x", b: "y" }, { a: "z" }],
      minProperties: 1,
    };
    const odd = (await sent(wire, schema)) as JsonObject;
    expect(Object.keys(odd["properties"] as JsonObject)).toEqual(["a", "b"]);
    for (const words of [
      'If it fits the JSON Schema {"properties":{"a":{"const":"x"}},"required":["a"]}, it also follows',
      'Must not fit the JSON Schema {"required":["c"]}.',
      'Must be one of {"a":"x","b":"y"}, {"a":"z"}.',
      "At least 1 keys.",
    ]) {
      expect(odd["description"]).toContain(words);
    }
  });

  it("A tool without properties is sent with the shape that the provider accepts for it", async () => {
    const shape = isGoogle ? { type: "object" } : { type: "object", properties: {} };
    for (const schema of [
      { type: "object" },
      {},
      { type: "object", properties: {} },
      { type: "object", required: [] },
    ]) {
      expect(await sent(wire, schema)).toEqual(shape);
    }
    const inner = await sent(wire, { type: "object", properties: { meta: { type: "object" } } });
    const isPlain = isGoogle || wire === "anthropic" || wire === "bedrock" || wire === "nova";
    expect(inner).toEqual({ type: "object", properties: { meta: isPlain ? { type: "object" } : shape } });
  });

  it("The parts of allOf are merged, and the sent object allows what all of them allow", async () => {
    const body = {
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { type: "object", properties: { b: { type: "integer" } } },
      ],
    };
    expect(await sent(wire, { type: "object", properties: { body } })).toEqual({
      type: "object",
      properties: {
        body: { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } }, required: ["a"] },
      },
    });
  });

  it("An empty text among the values of an enum is kept, or is said in the description where the provider refuses it", async () => {
    const schema = { type: "object", properties: { e: { type: "string", enum: ["", "full"] } } };
    expect(await sent(wire, schema)).toEqual({
      type: "object",
      properties: {
        e: isGoogle
          ? { type: "string", enum: ["full"], description: 'It may also be "", the empty text.' }
          : { type: "string", enum: ["", "full"] },
      },
    });
  });

  it("A schema that contains itself is sent with one copy of itself, in which the inner place is open", async () => {
    const schema = {
      type: "object",
      properties: {
        filter: { $ref: "#/$defs/F" },
        "weird key": { type: "integer" },
        k: { $ref: "#/properties/weird%20key" },
      },
      $defs: {
        F: {
          type: "object",
          properties: { and: { type: "array", items: { $ref: "#/$defs/F" } }, field: { type: "string" } },
        },
      },
    };
    const odd = JSON.stringify(await sent(wire, schema));
    expect(odd.split('"field"')).toHaveLength(3);
    expect(odd).toContain('"description":"Its inner parts are left out here."');
    expect(odd).toContain('"k":{"type":"integer"}');
    expect(odd).not.toContain("$ref");
  });

  it("A property whose schema is true is sent as one that allows any value, and one whose schema is false is left out", async () => {
    const odd = (await sent(wire, { type: "object", properties: { raw: true, none: false } })) as JsonObject;
    expect(Object.keys(odd["properties"] as JsonObject)).toEqual(["raw"]);
    expect(odd["description"]).toBe('The key "none" must not be given.');
    expect(JSON.stringify((odd["properties"] as JsonObject)["raw"])).not.toContain('description":"The');
  });

  it("A tool with invalid keywords is sent without them, and its description has what they stated", async () => {
    const odd = (await sent(wire, {
      type: "object",
      properties: {
        a: { type: "int", required: true },
        b: { type: "string", minLength: "3" },
        c: { $ref: "https://example.org/s.json" },
      },
    })) as JsonObject;
    const text = JSON.stringify(odd);
    for (const words of [
      '\\"type\\": \\"int\\"',
      '\\"required\\": true',
      '\\"minLength\\": \\"3\\"',
      "example.org/s.json",
    ]) {
      expect(text).toContain(words);
    }
  });
});

it("A tool whose arguments are no object is left out of the request with one warning, and the other tools are sent", async () => {
  const odd = { name: "odd", description: "Acts", parameters: { type: "string" } };
  const { body, warnings } = await sentTools("anthropic", [odd, good]);
  expect(body["tools"]?.[1]).toBeUndefined();
  expect(body["tools"]?.[0]).toMatchObject({ name: "good" });
  expect(JSON.parse(warnings)).toEqual({
    warnings: ['The tool "odd" was left out: the schema of its arguments has to be of type "object".'],
  });
});

it("Wires that refuse the names of arguments are sent other names, and other wires are sent the names of the tool", async () => {
  const properties = { "filter[id]": { type: "string" }, city: { type: "string" } };
  const { parameters } = tool("odd", {
    type: "object",
    properties,
    required: ["filter[id]", "city"],
    additionalProperties: false,
  });
  const description = 'Descriptions and errors call this key "filter[id]".';
  for (const wire of ["anthropic", "openrouter", "claude"] as const) {
    expect(await sentParameters(wire, parameters)).toEqual({
      type: "object",
      properties: { filter_id_: { type: "string", description }, city: { type: "string" } },
      required: ["filter_id_", "city"],
      additionalProperties: false,
    });
  }
  expect(await sentParameters("google", parameters)).toMatchObject({
    properties: { filter_id_: { type: "string", description }, city: { type: "string" } },
    required: ["filter_id_", "city"],
  });
  for (const wire of ["openai", "openai-responses", "openai-compatible"] as const) {
    expect(await sentParameters(wire, parameters)).toEqual(parameters);
  }
});

it("A regular expression that a provider cannot read is sent as a sentence", async () => {
  const patterns = { open: "^a", look: "^(?=a).*$", unicode: "^\\p{L}$", whole: "^[a-z]+$" };
  const properties = Object.fromEntries(
    Object.entries(patterns).map(([name, pattern]) => [name, { type: "string", pattern }]),
  );
  const { parameters } = tool("odd", { type: "object", properties });
  const kept = async (wire: SchemaWire): Promise<string[]> => {
    const sentNow = (await sentParameters(wire, parameters))["properties"] as Record<string, JsonObject>;
    for (const [name, pattern] of Object.entries(patterns)) {
      const { pattern: own, description } = sentNow[name] ?? {};
      expect([own, description]).toEqual(
        own === undefined ? [undefined, `Must match /${pattern}/.`] : [pattern, undefined],
      );
    }
    return Object.keys(sentNow).filter((name) => sentNow[name]?.["pattern"] !== undefined);
  };
  expect(await kept("anthropic")).toEqual(["open", "look", "unicode", "whole"]);
  expect(await kept("openai")).toEqual(["open", "whole"]);
  expect(await kept("openai-responses")).toEqual(["open", "whole"]);
  expect(await kept("openai-compatible")).toEqual(["whole"]);
  expect(await kept("google")).toEqual([]);
});

it("A regular expression that JavaScript reads and Python does not is sent as a sentence, and others stay", async () => {
  // Each was tried with `re.compile`.
  const refused = [
    "^[\\w-.]+$",
    "^[.-\\d]$",
    "^[a-z\\d-_]*$",
    "^[^\\s-x]$",
    "^(a)\\2$",
    "^\\x4$",
    "^\\u12$",
    "^[\\B]$",
  ];
  const read = [
    "^\\d{4}-\\d{2}$",
    "^[\\w-]+$",
    "^[-\\w.]+$",
    "^[^-\\d]$",
    "^[\\w.\\-\\d]+$",
    "^[a-z-\\d]$",
    "^\\x41$",
    "^\\[-\\d\\]$",
  ];
  const properties = Object.fromEntries([...refused, ...read].map((pattern, at) => [`p${at}`, { pattern }]));
  const { parameters } = tool("odd", { type: "object", properties });
  for (const wire of ["openai", "openai-responses", "openai-compatible", "openrouter"] as const) {
    const sentNow = await sentParameters(wire, parameters);
    expect(schemaProblems(wire, sentNow)).toEqual([]);
    expect(Object.values(sentNow["properties"] as JsonObject)).toEqual([
      ...refused.map((pattern) => ({ description: `Must match /${pattern}/.` })),
      ...read.map((pattern) => ({ pattern })),
    ]);
  }
  // The checker of the requests knows the ranges too.
  for (const pattern of refused.slice(0, 5)) {
    const given = { type: "object", properties: { p: { pattern } } };
    expect(schemaProblems("openai", given)).toEqual([`parameters.p has the pattern /${pattern}/`]);
  }
});
