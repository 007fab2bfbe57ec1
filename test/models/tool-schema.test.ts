// A tool's arguments in the form that each provider is sent, read from the requests that a server on the loopback received.

import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import type { JsonObject } from "#contract/json.ts";
import { noFaults } from "#core/ports/faults.ts";
import type { ToolSpec } from "#core/ports/model-port.ts";
import { toolRunner } from "#flow/tool/tool-runner.ts";
import { systemClock } from "#lib/system-clock.ts";
import { defineTool } from "#spec/index.ts";
import type { AnyToolDefinition } from "#spec/index.ts";

import { noState } from "../flow/support/hooks.ts";
import { geminiProblems } from "../support/wire-rules/gemini-problems.mjs";
import { geminiAsJsonSchema } from "../support/wire-rules/gemini-schema.ts";
import { argumentObjects } from "./argument-nodes.ts";
import { wireOf, type Provider, type Wire } from "./ask-model.ts";
import { overHttp } from "./http-request.ts";
import { capture, type Sent } from "./sent-request.ts";

const done = async () => ({ status: "success" as const });

/** The tool in the form in which a step offers it. */
function specOf(schema: z.ZodType | null): ToolSpec {
  const definition = schema === null ? defineTool("Acts", done) : ["Acts", schema, done];
  return toolRunner("act", definition as unknown as AnyToolDefinition, {
    state: noState,
    faults: noFaults,
    clock: systemClock,
  }).spec;
}

/** The field in which a provider receives a tool's arguments. */
const parametersOf: Record<Wire, (body: Sent) => Sent | undefined> = {
  openai: (body) => body["tools"]?.[0]?.["function"]?.["parameters"],
  openrouter: (body) => body["tools"]?.[0]?.["function"]?.["parameters"],
  "openai-responses": (body) => body["tools"]?.[0]?.["parameters"],
  anthropic: (body) => body["tools"]?.[0]?.["input_schema"],
  google: (body) => body["tools"]?.[0]?.["functionDeclarations"]?.[0]?.["parameters"],
  bedrock: (body) => body["toolConfig"]?.["tools"]?.[0]?.["toolSpec"]?.["inputSchema"]?.["json"],
};

async function sent(provider: Provider, schema: z.ZodType | null, model = "some-model"): Promise<Sent | undefined> {
  const { body } = await overHttp(provider, { tools: [specOf(schema)] }, { model });
  return parametersOf[wireOf(provider)](body);
}

const deep = (levels: number): z.ZodType =>
  levels === 0 ? z.string().describe("bottom") : z.object({ in: deep(levels - 1) });

/** Every kind of node, and its JSON Schema. */
const kinds: Record<string, [z.ZodType, object]> = {
  text: [
    z.string().min(2).max(9).describe("A name"),
    { type: "string", minLength: 2, maxLength: 9, description: "A name" },
  ],
  number: [z.number().min(0).max(5), { type: "number", minimum: 0, maximum: 5 }],
  integer: [z.int(), { type: "integer" }],
  flag: [z.boolean(), { type: "boolean" }],
  nothing: [z.null(), { type: "null" }],
  word: [z.literal("eu"), { type: "string", const: "eu" }],
  one: [z.literal(1), { type: "number", const: 1 }],
  yes: [z.literal(true), { type: "boolean", const: true }],
  none: [z.literal(null), { type: "null", const: null }],
  choice: [z.enum(["a", "b"]), { type: "string", enum: ["a", "b"] }],
  maybe: [z.string().optional(), { type: "string" }],
  nullable: [z.string().nullable(), { type: ["string", "null"] }],
  defaulted: [z.number().default(4), { type: "number", default: 4 }],
  list: [z.array(z.string()).max(3), { type: "array", items: { type: "string" }, maxItems: 3 }],
  record: [z.record(z.string(), z.number()), { type: "object", additionalProperties: { type: "number" } }],
  either: [z.union([z.string(), z.number()]), { type: ["string", "number"] }],
  email: [z.email(), { type: "string", format: "email", pattern: expect.any(String) }],
  trimmed: [z.string().trim().toLowerCase(), { type: "string" }],
  refined: [z.string().refine((text) => text !== "x"), { type: "string" }],
  deep: [deep(6), { type: "object", properties: { in: { type: "object" } } }],
};

const everything = z.object(Object.fromEntries(Object.entries(kinds).map(([name, [schema]]) => [name, schema])));
const given = Object.keys(kinds).filter((name) => name !== "maybe" && name !== "defaulted");

describe("JSON Schema", () => {
  it.for(["openai", "anthropic", "openrouter"] as const)(
    "The provider %s is sent every kind of argument as JSON Schema",
    async (provider) => {
      const parameters = await sent(provider, everything);
      expect(parameters).toMatchObject({ type: "object", additionalProperties: false, required: given });
      for (const [name, [, expected]] of Object.entries(kinds)) {
        expect(parameters?.["properties"]?.[name], name).toMatchObject(expected);
      }
      expect(JSON.stringify(parameters)).not.toMatch(/\$schema|\$ref|propertyNames|9007199254740991/);
      expect(JSON.stringify(parameters)).toContain("bottom");
    },
  );

  it.for(["openai", "anthropic", "openrouter"] as const)(
    "The provider %s is sent the schema of an empty object for a tool without arguments",
    async (provider) => {
      for (const schema of [null, z.object({})]) {
        expect(await sent(provider, schema)).toEqual({ type: "object", properties: {}, additionalProperties: false });
      }
    },
  );
});

describe("Gemini", () => {
  it("Gemini is sent every kind of argument in the part of JSON Schema that it accepts, and the rest in the description", async () => {
    const parameters = await sent("google", everything);
    expect(geminiProblems(parameters)).toEqual([]);
    expect(parameters?.["required"]).toEqual(given);
    expect(parameters?.["properties"]).toMatchObject({
      text: { type: "string", minLength: 2, description: "A name At most 9 characters." },
      number: { type: "number", description: "At least 0. At most 5." },
      integer: { type: "integer" },
      nothing: { type: "string", nullable: true, description: "Must be null." },
      word: { type: "string", enum: ["eu"] },
      one: { type: "number", description: "Must be 1." },
      yes: { type: "boolean", description: "Must be true." },
      none: { type: "string", nullable: true, description: "Must be null." },
      choice: { type: "string", enum: ["a", "b"] },
      nullable: { type: "string", nullable: true },
      defaulted: { type: "number", description: "Default: 4." },
      list: { type: "array", items: { type: "string" }, description: "At most 3 items." },
      record: {
        type: "object",
        description: 'Any keys are allowed; each value follows the JSON Schema {"type":"number"}.',
      },
      either: { anyOf: [{ type: "string" }, { type: "number" }] },
      email: { type: "string", description: "Format: email." },
    });
    expect(JSON.stringify(parameters)).toContain("bottom");
  });

  it("Gemini is sent unions as anyOf or enum, with null as nullable, and with their literal values and descriptions", async () => {
    const parameters = await sent(
      "google",
      z.object({
        mixed: z.literal(["a", 1, null, true, 2]),
        choice: z.enum(["a", "b"]).nullable().describe("Which"),
        either: z.union([z.string(), z.object({ a: z.number() }), z.null()]).describe("Either"),
        kinds: z.discriminatedUnion("k", [z.object({ k: z.literal("x") }), z.object({ k: z.literal("y") })]),
        when: z.iso.datetime().nullable().default(null),
        open: z.looseObject({ a: z.string() }),
      }),
    );
    expect(geminiProblems(parameters)).toEqual([]);
    expect(parameters?.["properties"]).toEqual({
      mixed: {
        anyOf: [
          { type: "string", enum: ["a"], nullable: true },
          { type: "number", description: "Must be one of 1, 2." },
          { type: "boolean", description: "Must be true." },
        ],
      },
      choice: { type: "string", enum: ["a", "b"], nullable: true, description: "Which" },
      either: {
        anyOf: [
          { type: "string", nullable: true, description: "Either" },
          { type: "object", description: "Either", properties: { a: { type: "number" } }, required: ["a"] },
        ],
      },
      kinds: {
        anyOf: ["x", "y"].map((k) => ({
          type: "object",
          properties: { k: { type: "string", enum: [k] } },
          required: ["k"],
        })),
      },
      when: { type: "string", format: "date-time", nullable: true, description: "Default: null." },
      open: {
        type: "object",
        properties: { a: { type: "string" } },
        required: ["a"],
        description: "Other keys are allowed.",
      },
    });
  });

  it("Gemini is sent the type of the parameters alone for a function without arguments, because it refuses empty properties, and forced calls without parameters", async () => {
    for (const schema of [null, z.object({})]) {
      expect(await sent("google", schema)).toEqual({ type: "object" });
    }
  });

  it("For arguments of any kind, Gemini is sent a schema that it supports and that accepts the valid values", async () => {
    const property = fc.asyncProperty(argumentObjects(6), async ({ schema, value }) => {
      const { body } = await capture("google", { tools: [specOf(schema)] });
      const parameters = parametersOf.google(body);
      expect(schema.safeParse(value).success).toBe(true);
      expect(geminiProblems(parameters)).toEqual([]);
      const allowed = new Validator(geminiAsJsonSchema(parameters as unknown as JsonObject), "2020-12").validate(value);
      expect(allowed.errors).toEqual([]);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it("Gemini through OpenRouter is sent JSON Schema that is reduced to the keywords that Gemini accepts", async () => {
    const schema = z.object({ at: z.string().nullable(), tags: z.record(z.string(), z.boolean()) });
    expect(await sent("openrouter", schema, "google/gemini-2.5-flash")).toEqual({
      type: "object",
      properties: {
        at: { anyOf: [{ type: "string" }, { type: "null" }] },
        tags: {
          type: "object",
          description: 'Any keys are allowed; each value follows the JSON Schema {"type":"boolean"}.',
        },
      },
      required: ["at", "tags"],
    });
  });
});
