// How a prompt's tool settings are sent to each provider, read from the requests that a server on the loopback received.

import { describe, expect, it } from "vitest";

import type { ModelRequest, ToolSpec } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { callAndResult, message, providers, user, wireOf, type Wire } from "./ask-model.ts";
import { overHttp } from "./http-request.ts";
import type { Sent } from "./sent-request.ts";

const tools: ToolSpec[] = [{ name: "get_weather", description: "Weather", parameters: { type: "object" } }];

/** The field in which a provider receives the tool choice. */
const choiceOf: Record<Wire, (body: Sent) => unknown> = {
  openai: (body) => body["tool_choice"],
  "openai-responses": (body) => body["tool_choice"],
  openrouter: (body) => body["tool_choice"],
  anthropic: (body) => body["tool_choice"],
  google: (body) => body["toolConfig"]?.["functionCallingConfig"],
  bedrock: (body) => body["toolConfig"]?.["toolChoice"],
};

const words: Record<Wire, Record<ModelRequest["toolChoice"], unknown>> = {
  openai: { auto: "auto", none: "none", required: "required" },
  "openai-responses": { auto: "auto", none: "none", required: "required" },
  openrouter: { auto: "auto", none: "none", required: "required" },
  anthropic: { auto: { type: "auto" }, none: { type: "none" }, required: { type: "any" } },
  google: { auto: { mode: "AUTO" }, none: { mode: "NONE" }, required: { mode: "ANY" } },
  // Converse has no choice without a call.
  bedrock: { auto: { auto: {} }, none: undefined, required: { any: {} } },
};

describe.for(providers)("%s", (provider) => {
  it.for(["auto", "none", "required"] as const)(
    "The tool choice `%s` is sent in the provider's own form",
    async (toolChoice) => {
      const { body } = await overHttp(provider, { tools, toolChoice });
      expect(choiceOf[wireOf(provider)](body)).toEqual(words[wireOf(provider)][toolChoice]);
      expect(JSON.stringify(body["tools"] ?? body["toolConfig"])).toContain("get_weather");
    },
  );

  it("A provider is sent the option of one call at a time if its API has the option and the request has tools", async () => {
    const one = await overHttp(provider, { tools, parallelToolCalls: false });
    const requested =
      JSON.stringify(one.body).match(/"(parallel_tool_calls":false|disable_parallel_tool_use":true)/g) ?? [];
    expect(requested).toHaveLength(["google", "bedrock"].includes(wireOf(provider)) ? 0 : 1);
    const several = await overHttp(provider, { tools, parallelToolCalls: true });
    const without = await overHttp(provider, { parallelToolCalls: false });
    for (const { body } of [several, without]) expect(JSON.stringify(body)).not.toMatch(/parallel/);
  });

  it("A model without function calling is sent earlier calls and results as text", async () => {
    const failed = callAndResult("toolu_02BBBB", "get_time").map((entry) =>
      entry.role === "tool" ? { ...entry, result: { status: "error" as const, error: "no clock" } } : entry,
    );
    const messages = [user("Weather?"), ...callAndResult("toolu_01AAAA"), user("Time?"), ...failed];
    const definition: Partial<AnyModelDefinition> = { capabilities: { functionCalling: false } };
    const { body } = await overHttp(provider, { messages, tools }, definition);
    const sent = JSON.stringify(body);
    const said = ['[called get_weather with {"city":"Oslo"}]', "[result of get_weather]", "sunny", "Error: no clock"];
    for (const text of said) expect(sent).toContain(JSON.stringify(text).slice(1, -1));
    expect(sent).not.toMatch(/toolu_|tool_call|tool_use|tool_result|functionCall|functionResponse|"tools"/);
  });
});

it("If a request does not define the tools of earlier calls, Claude is sent these calls as text, and OpenAI and Google are sent them unchanged", async () => {
  const picture = { type: "image", mime_type: "image/png", data: "iVBORw0KGgo=" } as const;
  const messages = [
    user("Weather?"),
    ...callAndResult("toolu_01AAAA").map((entry) => (entry.role === "tool" ? { ...entry, parts: [picture] } : entry)),
    message("assistant", { parts: [{ type: "text", text: "Sunny." }] }),
    user("Thanks"),
  ];
  const { body } = await overHttp("anthropic", { messages });
  expect(body["messages"]).toMatchObject([
    { role: "user", content: [{ text: "Weather?" }] },
    { role: "assistant", content: [{ type: "text", text: '[called get_weather with {"city":"Oslo"}]' }] },
    { role: "user", content: [{ type: "text", text: "[result of get_weather]\nsunny" }, { type: "image" }] },
    { role: "assistant", content: [{ text: "Sunny." }] },
    { role: "user", content: [{ text: "Thanks" }] },
  ]);
  const routed = await overHttp("openrouter", { messages }, { model: "anthropic/claude-haiku-4.5" });
  expect(JSON.stringify(routed.body)).not.toContain("toolu_01AAAA");
  expect(JSON.stringify((await overHttp("openai", { messages })).body)).toContain('"tool_call_id":"toolu_01AAAA"');
  expect(JSON.stringify((await overHttp("google", { messages })).body)).toContain("functionResponse");
});
