// Names of arguments that a provider refuses: the tool receives its own names, and the provider receives names that it accepts, in the
// schema, in the calls of the model and in the calls of earlier turns.

import { expect, it } from "vitest";

import type { Json, JsonObject } from "#contract/json.ts";
import type { ModelRequest } from "#core/ports/model-port.ts";
import { toolSchema } from "#models/schema/sent-schema.ts";
import { googleRules } from "#models/schema/wire-rules.ts";

import { schemaProblems } from "../support/wire-rules/schema-problems.mjs";
import {
  collect,
  message,
  model,
  readAnswer,
  request,
  serverPort,
  user,
  providers,
  wireOf,
  type Provider,
} from "./ask-model.ts";
import { parametersOf } from "./sent-parameters.ts";
import { capture, type Sent } from "./sent-request.ts";

const parameters = {
  type: "object",
  properties: {
    "filter[id]": { type: "string" },
    filter_id_: { type: "string" },
    "7-days": { type: "string" },
    list: { type: "array", items: { type: "object", properties: { "a b": { type: "string" } }, required: ["a b"] } },
    free: { type: "object" },
    [`${"long".repeat(20)}er`]: { type: "string" },
  },
  required: ["filter[id]", "7-days"],
};
const given = {
  "filter[id]": "1",
  filter_id_: "2",
  "7-days": "3",
  list: [{ "a b": "4" }],
  free: { filter_id__2: "6", "filter[id]": "7" },
};

const tools = [{ name: "find", description: "Finds", parameters }];

/** An answer of a provider that calls the tool with the arguments. */
function callStream(provider: Provider, args: string): string {
  const events = (list: object[]): string =>
    list
      .map((event) => `${"type" in event ? `event: ${String(event.type)}\n` : ""}data: ${JSON.stringify(event)}\n\n`)
      .join("");
  switch (wireOf(provider)) {
    case "openai":
    case "openrouter": {
      const tool_calls = [{ index: 0, id: "c1", type: "function", function: { name: "find", arguments: args } }];
      const choices = [{ index: 0, delta: { role: "assistant", tool_calls }, finish_reason: null }];
      return `${events([
        { id: "1", choices },
        { id: "1", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
      ])}data: [DONE]\n\n`;
    }
    case "openai-responses": {
      const item = {
        type: "function_call",
        id: "fc_1",
        call_id: "c1",
        name: "find",
        arguments: args,
        status: "completed",
      };
      const usage = { input_tokens: 1, output_tokens: 1 };
      return events([
        {
          type: "response.output_item.added",
          output_index: 0,
          item: { ...item, arguments: "", status: "in_progress" },
        },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: { id: "r", output: [item], usage } },
      ]);
    }
    case "anthropic":
      return events([
        {
          type: "message_start",
          message: {
            id: "m",
            role: "assistant",
            content: [],
            model: "c",
            usage: { input_tokens: 1, output_tokens: 1 },
          },
        },
        {
          type: "content_block_start",
          index: 0,
          content_block: { type: "tool_use", id: "c1", name: "find", input: {} },
        },
        { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: args } },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 1 } },
        { type: "message_stop" },
      ]);
    case "bedrock":
      return events([
        { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: "c1", name: "find" } } } },
        { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: args } } } },
        { contentBlockStop: { contentBlockIndex: 0 } },
        { messageStop: { stopReason: "tool_use" } },
      ]);
    case "google":
      return `data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"find","args":${args}}}]},"finishReason":"STOP"}]}\n\n`;
  }
}

/** The rules for the schemas of a provider. The model server stands for a server other than OpenAI's. */
function schemaWire(provider: Provider) {
  const wire = wireOf(provider);
  return wire === "openai" ? "openai-compatible" : wire;
}

/** The schema that a provider is sent for the tool. */
async function sentSchema(
  provider: Provider,
  more: Partial<ModelRequest> = {},
): Promise<{ schema: JsonObject; body: Sent }> {
  const { body } = await capture(provider, { tools, ...more });
  return {
    schema: parametersOf(schemaWire(provider), body) as unknown as JsonObject,
    body,
  };
}

/** The arguments with the names of the schema. */
async function argumentsFor(provider: Provider): Promise<string> {
  const { schema } = await sentSchema(provider);
  const root = schema["properties"] as JsonObject;
  const inner = ((root["list"] as JsonObject)["items"] as JsonObject)["properties"] as JsonObject;
  const [id, other, days] = Object.keys(root);
  const list = [Object.fromEntries(Object.keys(inner).map((name) => [name, "4"]))];
  return JSON.stringify(
    Object.fromEntries([
      [id, "1"],
      [other, "2"],
      [days, "3"],
      ["list", list],
      ["free", given.free],
    ]),
  );
}

it.for(providers)(
  "A schema with names that %s refuses is sent with accepted names, each required one among them",
  async (provider) => {
    const { schema } = await sentSchema(provider);
    expect(schemaProblems(schemaWire(provider), schema)).toEqual([]);
    const properties = schema["properties"] as JsonObject;
    expect(Object.keys(properties)).toHaveLength(6);
    expect(schema["required"]).toHaveLength(2);
    for (const name of schema["required"] as string[]) expect(Object.hasOwn(properties, name)).toBe(true);
  },
);

it.for(providers)("A call of %s reaches the tool with the names of the tool, at every depth", async (provider) => {
  const body = callStream(provider, await argumentsFor(provider));
  const headers = { "content-type": "text/event-stream" };
  const port = serverPort({ fetch: () => Promise.resolve(new Response(body, { headers })) });
  const requested = request(model(provider, "some-model"), { tools });
  const { calls, end } = readAnswer(await collect(port.stream(requested, new AbortController().signal)));
  expect(end).toMatchObject({ type: "finish", stop_reason: "tool_calls" });
  expect(calls.map(({ arguments: text }) => JSON.parse(text) as Json)).toEqual([given]);
});

it.for(providers)("An earlier call is sent to %s with the names of the schema", async (provider) => {
  const call = {
    type: "tool_call",
    id: "c1",
    name: "find",
    arguments: given,
  } as const;
  const messages = [
    user("Find"),
    message("assistant", { parts: [call] }),
    message("tool", { name: "find", tool_call_id: "c1", result: { status: "success", result: "found" } }),
  ];
  const { body } = await sentSchema(provider, { messages });
  const expected = JSON.parse(await argumentsFor(provider)) as JsonObject;
  // Some packages sort the keys of arguments, and some wires take them as a text.
  const sent = JSON.stringify(body).replaceAll("\\", "");
  for (const [name, value] of Object.entries(expected)) {
    expect(sent).toContain(JSON.stringify({ [name]: value }).slice(1, -1));
  }
});

it("A structured answer that is requested as a call has the names of its schema", async () => {
  const schema = {
    type: "object",
    properties: { "filter[id]": { type: "string" } },
    required: ["filter[id]"],
    additionalProperties: false,
  };
  const structure = { name: "find", schema };
  const body = callStream("anthropic", '{"filter_id_":"1"}');
  const headers = { "content-type": "text/event-stream" };
  const port = serverPort({ fetch: () => Promise.resolve(new Response(body, { headers })) });
  const definition = model("anthropic", "claude-3-haiku", { capabilities: { structuredOutputs: false } });
  const requested = request(definition, { structure });
  const { text, end } = readAnswer(await collect(port.stream(requested, new AbortController().signal)));
  expect(end).toMatchObject({ type: "finish", data: { "filter[id]": "1" } });
  expect(text).toBe('{"filter[id]":"1"}');
});

it.for(providers)(
  "The key __proto__ is neither a property nor required in what %s is sent, and the description names it",
  async (provider) => {
    // A literal would set the prototype of the object.
    const odd = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"a":{"type":"string"}},"required":["__proto__","a"]}',
    ) as JsonObject;
    const { schema } = await sentSchema(provider, { tools: [{ name: "odd", description: "Acts", parameters: odd }] });
    expect(schema).toMatchObject({ required: ["a"], description: 'The key "__proto__" cannot be given.' });
    expect(Object.keys(schema["properties"] as JsonObject)).toEqual(["a"]);
  },
);

/** Arguments that a model writes for Gemini, and those that the tool receives. */
function restoredFor(parameters: JsonObject, written: Json): Json {
  const read = toolSchema(parameters, googleRules);
  if ("problem" in read || read.names === null) throw new Error("The schema has no name that Gemini refuses.");
  return read.names.restored(written);
}

const refused = (name: string): JsonObject => ({ type: "object", properties: { [name]: { type: "string" } } });

it("Two alternatives with names that have the same accepted form get one name each, which the tool does not see", () => {
  const inner = { anyOf: [refused("a[b]"), refused("a(b)")] };
  const parameters = { type: "object", properties: { one: inner, list: { type: "array", items: inner } } };
  const value = { one: { "a[b]": "1" }, list: [{ "a(b)": "2" }, { "a[b]": "3", "a(b)": "4" }] };
  const read = toolSchema(parameters, googleRules);
  if ("problem" in read) throw new Error(read.problem);
  const sent = read.names?.sent(value);
  expect(sent).toEqual({ one: { a_b_: "1" }, list: [{ a_b__2: "2" }, { a_b_: "3", a_b__2: "4" }] });
  expect(JSON.stringify(read.schema)).toMatch(/"a_b_":.*"a_b__2":/s);
  expect(restoredFor(parameters, sent ?? null)).toEqual(value);
});

it("Alternatives at different depths share the names of one place", () => {
  const one = { type: "object", properties: { x: refused("a[b]") } };
  const two = { type: "object", properties: { x: refused("a(b)"), "a b": {} } };
  const parameters = { type: "object", properties: { y: { anyOf: [one, { anyOf: [two] }] } } };
  expect(restoredFor(parameters, { y: { x: { a_b_: "1", a_b__2: "2" }, a_b: 3 } })).toEqual({
    y: { x: { "a[b]": "1", "a(b)": "2" }, "a b": 3 },
  });
});

it("The names below a pattern and in each item of a list are restored, and those of rules in words are sent as they are", () => {
  const parameters = {
    type: "object",
    properties: {
      byPattern: { type: "object", patternProperties: { "^x": refused("a[b]") } },
      tuple: { type: "array", prefixItems: [refused("7-days"), { type: "string" }], items: refused("$top") },
      contained: { type: "array", contains: refused("a b") },
      conditional: { type: "object", if: refused("c d"), else: refused("g h") },
    },
  };
  const given = {
    byPattern: { x1: { "a[b]": "1" } },
    tuple: [{ "7-days": "2" }, "3", { $top: "4" }],
    contained: [{ "a b": "5" }],
    conditional: { "c d": "6", "g h": "8" },
  };
  const read = toolSchema(parameters, googleRules);
  if ("problem" in read) throw new Error(read.problem);
  const sent = read.names?.sent(given) ?? null;
  expect(sent).toEqual({
    byPattern: { x1: { a_b_: "1" } },
    tuple: [{ _7_days: "2" }, "3", { _top: "4" }],
    contained: [{ "a b": "5" }],
    conditional: { "c d": "6", "g h": "8" },
  });
  const text = JSON.stringify(read.schema).replaceAll("\\", "");
  for (const name of ["a_b_", "_7_days", "_top", "a b", "c d", "g h"]) expect(text).toContain(`"${name}":`);
  expect(restoredFor(parameters, sent)).toEqual(given);
});

it("The names of a schema that contains itself are restored at every depth", () => {
  const node = {
    type: "object",
    properties: { "filter[id]": { type: "string" }, and: { type: "array", items: { $ref: "#/$defs/node" } } },
  };
  const parameters = { type: "object", properties: { where: { $ref: "#/$defs/node" } }, $defs: { node } };
  const nested = (name: string, depth: number): JsonObject => ({
    [name]: String(depth),
    ...(depth === 0 ? {} : { and: [nested(name, depth - 1)] }),
  });
  expect(restoredFor(parameters, { where: nested("filter_id_", 9) })).toEqual({ where: nested("filter[id]", 9) });
});

it("A key of a free object keeps its name although it equals a name that is sent elsewhere", () => {
  const parameters = { type: "object", properties: { "a b": {}, free: { type: "object" } } };
  expect(restoredFor(parameters, { a_b: 1, free: { a_b: 2 } })).toEqual({ "a b": 1, free: { a_b: 2 } });
});
