// Structured answers: the exact request that each provider receives over HTTP, in the form of its API and as a forced call, and the answer
// that is read from its bytes.

import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import type { AnswerStructure, ModelRequest, ToolSpec } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { providers, readAnswer, type Provider, wireOf, type Wire } from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";
import { overHttp } from "./http-request.ts";
import type { Sent } from "./sent-request.ts";

const schema = {
  type: "object",
  properties: { city: { type: "string" }, celsius: { type: "number" } },
  required: ["city", "celsius"],
  additionalProperties: false,
};

const structure: AnswerStructure = { name: "get_weather", schema };
const tools: ToolSpec[] = [{ name: "search", description: "Searches", parameters: { type: "object", properties: {} } }];

/** A schema without `additionalProperties` and with an optional property: no strict mode accepts it. */
const openSchema = { type: "object", properties: { city: { type: "string" } } };

/** The request's fields that depend on the structure. */
type Fields = (body: Sent) => Record<string, unknown>;

const fieldsOf: Record<Wire, Fields> = {
  openai: (body) => ({
    response_format: body["response_format"],
    tools: body["tools"],
    tool_choice: body["tool_choice"],
  }),
  "openai-responses": (body) => ({ text: body["text"], tools: body["tools"], tool_choice: body["tool_choice"] }),
  openrouter: (body) => ({
    response_format: body["response_format"],
    tools: body["tools"],
    tool_choice: body["tool_choice"],
  }),
  anthropic: (body) => ({
    output_config: body["output_config"],
    tools: body["tools"],
    tool_choice: body["tool_choice"],
  }),
  google: (body) => ({
    responseSchema: body["generationConfig"]?.["responseSchema"],
    responseMimeType: body["generationConfig"]?.["responseMimeType"],
    tools: body["tools"],
    toolConfig: body["toolConfig"],
  }),
  bedrock: (body) => ({ outputConfig: body["outputConfig"], toolConfig: body["toolConfig"] }),
};

const jsonSchema = { type: "json_schema", json_schema: { name: "get_weather", strict: true, schema } };
const googleSchema = {
  type: "object",
  properties: { city: { type: "string" }, celsius: { type: "number" } },
  required: ["city", "celsius"],
};

const native: Record<Wire, Record<string, unknown>> = {
  openai: { response_format: jsonSchema },
  "openai-responses": { text: { format: { type: "json_schema", strict: true, name: "get_weather", schema } } },
  openrouter: { response_format: jsonSchema },
  anthropic: { output_config: { format: { type: "json_schema", schema } } },
  google: { responseSchema: googleSchema, responseMimeType: "application/json" },
  bedrock: {
    outputConfig: {
      textFormat: {
        type: "json_schema",
        structure: { jsonSchema: { name: "get_weather", schema: JSON.stringify(schema) } },
      },
    },
  },
};

/** Bedrock enforces schemas for some of its models, so a definition names the ability. */
const withNative = (provider: Provider) =>
  provider === "bedrock" ? { capabilities: { structuredOutputs: true } } : {};

const description = "Gives the final answer. Call it once, as soon as no other tool is needed.";
const chatTool = { type: "function", function: { name: "get_weather", description, parameters: schema } };
const chatCall = { tools: [chatTool], tool_choice: { type: "function", function: { name: "get_weather" } } };

const forced: Record<Wire, Record<string, unknown>> = {
  openai: chatCall,
  "openai-responses": {
    tools: [{ type: "function", name: "get_weather", description, parameters: schema, strict: false }],
    tool_choice: { type: "function", name: "get_weather" },
  },
  openrouter: chatCall,
  anthropic: {
    tools: [
      {
        name: "get_weather",
        description,
        input_schema: schema,
        eager_input_streaming: true,
        cache_control: { type: "ephemeral" },
      },
    ],
    tool_choice: { type: "tool", name: "get_weather" },
  },
  google: {
    tools: [{ functionDeclarations: [{ name: "get_weather", description, parameters: googleSchema }] }],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["get_weather"] } },
  },
  bedrock: {
    toolConfig: {
      tools: [{ toolSpec: { name: "get_weather", description, inputSchema: { json: schema } } }],
      toolChoice: { tool: { name: "get_weather" } },
    },
  },
};

const withoutNative = { capabilities: { structuredOutputs: false } };

/** Requests a case of the model server and returns what it received, and what was read from its answer. */
async function ask(
  provider: Provider,
  name: string,
  more: Partial<ModelRequest>,
  definition: Partial<AnyModelDefinition> = {},
) {
  const { body, parts } = await overHttp(provider, more, { model: `case:${name}`, ...definition });
  expect(grammarFaults(parts)).toEqual([]);
  return { fields: fieldsOf[wireOf(provider)](body), body, ...readAnswer(parts) };
}

// Vertex AI has no structured output for Claude (`vertex.test.ts`).
describe.for(providers.filter((provider) => provider !== "vertex-claude"))("%s", (provider) => {
  it("A structure is sent in the form of the provider's API, and the finish has the parsed data of the text", async () => {
    const { fields, text, calls, end } = await ask(provider, "structured", { structure }, withNative(provider));
    expect(fields).toEqual(native[wireOf(provider)]);
    expect([text, calls]).toEqual(['{"city":"Zürich","celsius":21}', []]);
    expect(end).toMatchObject({ type: "finish", stop_reason: "stop", data: { city: "Zürich", celsius: 21 } });
  });

  it("A model without structured output is forced to call a tool, whose arguments are the text of the answer", async () => {
    const { fields, text, calls, end } = await ask(provider, "tool-call", { structure }, withoutNative);
    expect(fields).toEqual(forced[wireOf(provider)]);
    expect([JSON.parse(text), calls]).toEqual([{ city: "Zürich" }, []]);
    expect(end).toMatchObject({ type: "finish", stop_reason: "stop", data: { city: "Zürich" } });
  });

  it("If a request with a forced answer also has other tools, the model may call them first, and an answer with such a call has no data", async () => {
    const renamed = { ...structure, name: "answer" };
    const { body, calls, end } = await ask(provider, "tool-call", { structure: renamed, tools }, withoutNative);
    const sent = JSON.stringify([body["tools"], body["tool_choice"], body["toolConfig"]]);
    expect(sent).toMatch(/"search".*"answer"/);
    expect(sent).toMatch(/"required"|"any"|"ANY"/);
    expect(sent).not.toMatch(/allowedFunctionNames|"type":"tool"/);
    expect(calls.map(({ name }) => name)).toEqual(["get_weather"]);
    expect(end).toMatchObject({ type: "finish", stop_reason: "tool_calls" });
    expect(end).not.toHaveProperty("data");
  });

  it("A request with a structure in the form of the provider's API still offers its tools", async () => {
    const { fields } = await ask(provider, "structured", { structure, tools }, withNative(provider));
    expect(fields).toMatchObject(native[wireOf(provider)]);
    expect(JSON.stringify(fields)).toContain('"search"');
    expect(JSON.stringify(fields)).not.toContain('get_weather","description');
  });

  it("An answer that is not JSON has no data, although the request has a structure", async () => {
    const { text, end } = await ask(provider, "text", { structure });
    expect(text).toBe("Hello there, how can I help?");
    expect(end).not.toHaveProperty("data");
  });

  it("A structure is refused without a request if the model supports neither it nor tools", async () => {
    const definition = { capabilities: { structuredOutputs: false, functionCalling: false } };
    await expect(overHttp(provider, { structure }, definition)).rejects.toThrow(
      /supports neither structured output nor tools/,
    );
  });
});

describe("schemas beyond strict mode", () => {
  const open = { structure: { name: "get_weather", schema: openSchema } };

  it("OpenAI is sent an open schema (one that allows further fields) without strict mode, and the request's `strict` takes precedence", async () => {
    expect((await ask("openai", "structured", open)).fields["response_format"]).toMatchObject({
      json_schema: { strict: false, schema: openSchema },
    });
    const strict = { structure: { ...open.structure, strict: true } };
    expect((await ask("openai-responses", "structured", strict)).fields["text"]).toMatchObject({
      format: { strict: true },
    });
  });

  it.for<[string, JsonObject]>([
    ["the format of a URL", { type: "string", format: "uri" }],
    ["a value of any type", { description: "Anything." }],
    ["a list of values of any type", { type: "array", items: {} }],
  ])(
    "OpenAI is sent a schema with %s without strict mode, because strict mode refuses such a schema",
    async ([, city]) => {
      const odd = { ...schema, properties: { ...schema.properties, city } };
      const { fields } = await ask("openai", "structured", { structure: { ...structure, schema: odd } });
      expect(fields["response_format"]).toMatchObject({ json_schema: { strict: false, schema: odd } });
    },
  );

  it.for(["^(?!x).*$", ".*(?<=x)$"])(
    "OpenAI is sent the pattern %s as a sentence, because it refuses lookahead and lookbehind in every mode",
    async (pattern) => {
      const withPattern = { ...schema, properties: { ...schema.properties, city: { type: "string", pattern } } };
      const { fields } = await ask("openai", "structured", { structure: { ...structure, schema: withPattern } });
      const city = { type: "string", description: `Must match /${pattern}/.` };
      expect(fields["response_format"]).toMatchObject({
        json_schema: { strict: true, schema: { ...schema, properties: { ...schema.properties, city } } },
      });
    },
  );

  it("A schema with formats and patterns of OpenAI's strict mode is sent to OpenAI in strict mode", async () => {
    const texts = { type: "string", format: "date-time", pattern: "^(?:a|b)+$" };
    const plain = { ...schema, properties: { ...schema.properties, city: texts } };
    const { fields } = await ask("openai", "structured", { structure: { ...structure, schema: plain } });
    expect(fields["response_format"]).toMatchObject({ json_schema: { strict: true } });
  });

  it.for(["anthropic", "openrouter"] as const)(
    "The provider %s is sent an open schema (one that allows further fields) as a forced call",
    async (provider) => {
      const { fields } = await ask(provider, "tool-call", open);
      expect(JSON.stringify(fields["tool_choice"])).toContain("get_weather");
      expect(fields["response_format"] ?? fields["output_config"]).toBeUndefined();
    },
  );
});

it("A recursive schema is sent to Anthropic as a forced call, because Anthropic does not enforce a recursive schema", async () => {
  const tree = { ...schema, properties: { ...schema.properties, city: { type: "array", items: { $ref: "#" } } } };
  const { fields } = await ask("anthropic", "tool-call", { structure: { ...structure, schema: tree } });
  expect(fields).toMatchObject({ output_config: undefined, tool_choice: { type: "tool", name: "get_weather" } });
});

describe("models and servers without structured output", () => {
  it.for([
    ["openai", "gpt-4-turbo", /"tool_choice"/],
    ["openai", "gpt-4.1", /"response_format"/],
    ["openai", "gpt-4o-2024-08-06", /"response_format"/],
    ["anthropic", "claude-sonnet-4-20250514", /"tool_choice"/],
    ["anthropic", "claude-3-5-haiku-latest", /"tool_choice"/],
    ["anthropic", "claude-opus-4-1-20250805", /"output_config"/],
    ["anthropic", "claude-haiku-4-5", /"output_config"/],
  ] as const)(
    "For a structured answer, the provider %s is sent the form that its model %s supports",
    async ([provider, model, form]) => {
      const { body } = await overHttp(provider, { structure }, { model });
      expect(JSON.stringify(body)).toMatch(form);
    },
  );

  it("Gemini before version 3 is sent a forced call if the request has a structure and tools, because it refuses these together", async () => {
    const both = { structure, tools };
    const second = await overHttp("google", both, { model: "gemini-2.5-flash" });
    expect(second.body["generationConfig"]?.["responseSchema"]).toBeUndefined();
    expect(second.body["toolConfig"]).toEqual({ functionCallingConfig: { mode: "ANY" } });
    const third = await overHttp("google", both, { model: "gemini-3-pro-preview" });
    expect(third.body["generationConfig"]?.["responseSchema"]).toEqual(googleSchema);
  });
});

it("A tool with the structure's name keeps its name, and the tool for the answer gets a different name", async () => {
  const [tool] = tools;
  const same = { structure: { ...structure, name: "search" }, tools: tool === undefined ? [] : [tool] };
  const { body } = await overHttp("openai", same, withoutNative);
  expect([...(body["tools"] ?? [])].map((sent) => sent["function"]?.["name"])).toEqual(["search", "search_"]);
});

it("Anthropic is not asked to think in a request that forces the call of the answer", async () => {
  const { body } = await overHttp("anthropic", { structure, reasoning: { effort: "high" } }, withoutNative);
  expect(body["thinking"]).toBeUndefined();
});
