// Tools that a provider executes itself: what requests offer, what is stored and shown of an answer, and what the next request sends back.

import { describe, expect, it } from "vitest";

import type { JsonObject } from "#contract/json.ts";
import type { ModelPart, ModelRequest } from "#core/ports/model-port.ts";
import { ignoredField } from "#models/provider/ignored-field.ts";
import type { AnyModelDefinition, ModelProviderTool, ModelProviderToolValue } from "#spec/index.ts";

import { callAndResult, collect, message, model, readAnswer, request, serverPort, user } from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";
import {
  askWith,
  at,
  claudeAnswer,
  geminiAnswer,
  outputText,
  responsesAnswer,
  storedAnswer,
  transcript,
  withTools,
} from "./provider-tool-answers.ts";
import { cases, found, search } from "./provider-tool-cases.ts";

const toolsIn = (parts: readonly { type: string }[]) => parts.filter(({ type }) => type === "provider_tool");

const toolsOf = (body: JsonObject) => at(body["toolConfig"], "tools") ?? body["tools"];

/** The conversation of a request between its first and its last message. */
function middle(body: JsonObject): unknown {
  const messages = (body["messages"] ?? body["input"] ?? body["contents"]) as { role?: string }[];
  const turns = messages.filter(({ role }) => role !== "system" && role !== "developer");
  const inner = turns.slice(1, -1);
  return body["input"] === undefined ? inner[0] : inner;
}

describe.each(cases)("$provider", ({ provider, tools, sentTools, answer, shown, sentBack }) => {
  it("PROVTOOL1 A request offers the tools of the model's definition in the form of the provider's API", async () => {
    const { sent } = await askWith(withTools(provider, ...tools), answer);
    expect(toolsOf(sent.body)).toEqual(sentTools);
  });

  it("PROVTOOL2 A call that the provider executed is a part of the answer with its input and its result, in its position", async () => {
    const { parts } = await askWith(withTools(provider, ...tools), answer);
    expect(grammarFaults(parts)).toEqual([]);
    const { parts: stored, events } = storedAnswer(parts);
    expect(toolsIn(stored)).toMatchObject(shown);
    expect(stored.at(-1)).toMatchObject({ type: "text", text: "It rains." });
    const ofTools = events.filter(({ type }) => type.startsWith("provider_tool"));
    expect(ofTools).toHaveLength(2 * shown.length);
    expect(ofTools.at(-1)).toMatchObject({ type: "provider_tool_end", part: shown.at(-1) });
    expect(JSON.stringify(events)).not.toContain("ENCRYPTED");
    expect(readAnswer(parts)).toMatchObject({ calls: [], end: { type: "finish", stop_reason: "stop" } });
  });

  it("PROVTOOL3 The next request sends the provider its own blocks back as they were", async () => {
    const first = await askWith(withTools(provider, ...tools), answer);
    const { parts } = storedAnswer(first.parts);
    const { sent } = await askWith(withTools(provider, ...tools), answer, { messages: transcript(parts) });
    expect(middle(sent.body)).toMatchObject(sentBack as object);
    expect(JSON.stringify(sent.body)).not.toMatch(/block \d+ [0-9a-f]{8}-/);
  });

  it("PROVTOOL3 A request without the tools, and one to another provider, has the calls and the results as text", async () => {
    const first = await askWith(withTools(provider, ...tools), answer);
    const messages = transcript(storedAnswer(first.parts).parts);
    const other = provider === "anthropic" ? "openai-responses" : "anthropic";
    for (const definition of [
      withTools(provider),
      withTools(other, cases.find((one) => one.provider === other)?.tools[0] as never),
    ]) {
      const { sent } = await askWith(definition, answer, { messages });
      const text = JSON.stringify(middle(sent.body));
      const [call] = shown as { name: string }[];
      expect(text).toContain(`[${call?.name}, executed by the provider, with `);
      expect(text).toContain("[result] ");
      expect(text).not.toMatch(/ENCRYPTED|server_tool_use|web_search_call|executableCode|toolCall/);
    }
  });

  it("PROVTOOL4 An answer that was cut between a call and its result gives a request that the provider accepts", async () => {
    const { parts } = await askWith(withTools(provider, ...tools), answer);
    const begun = parts.findIndex(({ type }) => type === "provider_tool_start");
    const stored = storedAnswer(parts.slice(0, begun + 1), true).parts;
    expect(toolsIn(stored)).toHaveLength(1);
    expect(toolsIn(stored)[0]).not.toHaveProperty("output");
    const { sent } = await askWith(withTools(provider, ...tools), answer, { messages: transcript(stored) });
    expect(JSON.stringify(middle(sent.body))).toContain("[no result]");
  });

  it("A request that forbids calls does not offer the tools", async () => {
    const { sent } = await askWith(withTools(provider, ...tools), answer, { toolChoice: "none" });
    expect(toolsOf(sent.body)).toBeUndefined();
  });
});

it("PROVTOOL1 A build refuses tools that a provider does not have, too many or too large ones, and secrets, with what to do", () => {
  const reasonOf = (definition: Partial<AnyModelDefinition>, ...providerTools: ModelProviderTool[]) =>
    ignoredField({ ...withTools("anthropic"), ...definition, providerTools })?.reason;
  expect(reasonOf({}, { type: "web_search_20991231" }, { type: "code_execution_20250825" })).toBeUndefined();
  expect(reasonOf({}, { type: "web_search" })).toBe(
    '"web_search" is no tool that the provider executes; expected one of web_search_YYYYMMDD, web_fetch_YYYYMMDD, ' +
      "code_execution_YYYYMMDD, advisor_YYYYMMDD (https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview)",
  );
  expect(reasonOf({}, { type: "web_search_20250305" }, { type: "web_search_20250305" })).toContain("is listed twice");
  const many = Array.from({ length: 17 }, (): ModelProviderTool => ({ type: "web_search_20250305" }));
  expect(reasonOf({}, ...many)).toBe("17 tools are too many; at most 16 are accepted");
  expect(reasonOf({}, { type: "web_search_20250305", allowed_domains: ["x".repeat(9000)] })).toContain("8192 bytes");
  let deep: ModelProviderToolValue = 1;
  for (let level = 0; level < 9; level += 1) deep = [deep];
  expect(reasonOf({}, { type: "web_search_20250305", deep })).toContain("more than 8 levels deep");
  const openai = { provider: "openai" } as const;
  const mcp = { type: "mcp", server_label: "docs", server_url: "https://mcp.example" };
  expect(reasonOf(openai, mcp)).toContain('needs require_approval: "never"');
  expect(reasonOf(openai, { ...mcp, authorization: "t" })).toContain("definitions have no secrets");
  expect(reasonOf(openai, { ...mcp, require_approval: "never" })).toBeUndefined();
  expect(reasonOf({ provider: "vertex", model: "claude-opus-4-7" }, { type: "web_fetch_20250910" })).toContain(
    "no tool",
  );
  for (const without of [
    { ...openai, api: "chat" },
    { ...openai, baseUrl: "https://llm.example/v1" },
    { provider: "openai-compatible", preset: "groq" },
    { provider: "bedrock" },
    { provider: "bedrock", model: "us.amazon.nova-pro-v1:0" },
    { provider: "workers-ai" },
  ] as const)
    expect(reasonOf(without, { type: "web_search" }), JSON.stringify(without)).toContain("executes no tools itself");
  expect(reasonOf({ provider: "test", script: [] }, { type: "web_search" })).toContain("sends no requests");
});

it("PROVTOOL1 A request to an address of the environment whose server has another protocol fails with what to do", async () => {
  const port = serverPort({ env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "https://llm.example/v1" } });
  const definition = model("openai", "gpt-5.4", { providerTools: [{ type: "web_search" }] });
  const parts = await collect(port.stream(request(definition), new AbortController().signal));
  expect(parts.at(-1)).toMatchObject({
    type: "error",
    failure: { kind: "api", message: expect.stringContaining("executes no tools itself") },
  });
});

it("PROVTOOL5 The finish has the pages that the tools found among its sources", async () => {
  const url = "https://weather.example/oslo";
  for (const { provider, tools, answer } of cases.slice(0, 5)) {
    const { parts } = await askWith(withTools(provider, ...tools), answer);
    expect(readAnswer(parts).end).toMatchObject({ sources: [{ url }] });
  }
});

it("PROVTOOL2 The searches of an answer of Gemini that only its metadata shows are a part too, of which nothing is sent back", async () => {
  const groundingMetadata = {
    webSearchQueries: ["rain in Oslo"],
    groundingChunks: [{ web: { uri: "https://weather.example/oslo", title: "Oslo" } }],
  };
  const answer = geminiAnswer([[{ text: "It rains." }]], { groundingMetadata });
  const definition = withTools("google", { type: "google_search" });
  const first = await askWith(definition, answer);
  const { parts } = storedAnswer(first.parts);
  expect(toolsIn(parts)).toMatchObject([
    {
      name: "google_search",
      input: { queries: ["rain in Oslo"] },
      output: { sources: [{ url: "https://weather.example/oslo", title: "Oslo" }] },
    },
  ]);
  const { sent } = await askWith(definition, answer, { messages: transcript(parts) });
  expect(middle(sent.body)).toEqual({ role: "model", parts: [{ text: "It rains." }] });
});

it("PROVTOOL1 The plugins of OpenRouter are in requests to the model server unless the tool choice is none, and its citations are sources", async () => {
  const bodies: JsonObject[] = [];
  const port = serverPort({
    fetch: (input, init) => {
      bodies.push(JSON.parse(typeof init?.body === "string" ? init.body : "{}") as JsonObject);
      return fetch(input, init);
    },
  });
  const pdf = { engine: "native" };
  const providerTools: ModelProviderTool[] = [
    { type: "web", max_results: 3 },
    { type: "file-parser", pdf },
  ];
  const definition = model("openrouter", "case:cited", { providerTools });
  expect(ignoredField(definition)).toBeUndefined();
  const requested = (more: Partial<ModelRequest> = {}) =>
    collect(port.stream(request(definition, more), new AbortController().signal));
  const parts = await requested();
  expect(bodies[0]).toMatchObject({
    plugins: [
      { id: "web", max_results: 3 },
      { id: "file-parser", pdf },
    ],
  });
  expect(bodies[0]).not.toHaveProperty("tools");
  expect(readAnswer(parts)).toMatchObject({
    text: "Spain won.",
    end: { sources: [{ url: "https://a.example/won", title: "A says" }, {}] },
  });
  expect(toolsIn(storedAnswer(parts).parts)).toEqual([]);
  await requested({ toolChoice: "none" });
  expect(bodies[1]).not.toHaveProperty("plugins");
  expect(ignoredField({ ...definition, providerTools: [{ type: "web_search" }] })?.reason).toContain(
    "expected one of web, file-parser (https://openrouter.ai/docs/guides/features/plugins)",
  );
});

it("PROVTOOL2 An image that a tool created is an image of the answer, and its bytes are in no other part", async () => {
  const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const image = {
    type: "image_generation_call",
    id: "ig_1",
    status: "completed",
    revised_prompt: "A dot.",
    output_format: "png",
    result: dot,
  };
  const definition = withTools("openai-responses", { type: "image_generation" });
  const { parts } = await askWith(definition, responsesAnswer([image, outputText("Done.")]));
  expect(grammarFaults(parts)).toEqual([]);
  const stored = storedAnswer(parts).parts;
  expect(stored).toMatchObject([
    { type: "provider_tool", name: "image_generation", input: { prompt: "A dot." } },
    { type: "image", mime_type: "image/png", data: dot },
    { type: "text", text: "Done." },
  ]);
  expect(JSON.stringify(stored).split(dot)).toHaveLength(2);
});

it("PROVTOOL2 A tool that failed is a part with its error", async () => {
  const failed = {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_1",
    content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
  };
  const definition = withTools("anthropic", { type: "web_search_20250305" });
  const { parts } = await askWith(definition, claudeAnswer([search, failed, { type: "text", text: "No." }]));
  const stored = storedAnswer(parts).parts;
  expect(stored[0]).toMatchObject({
    output: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
    is_error: true,
  });
  const { sent } = await askWith(definition, claudeAnswer([]), { messages: transcript(stored) });
  expect(middle(sent.body)).toMatchObject({ content: [search, failed, { type: "text", text: "No." }] });
});

describe("Results after other blocks", () => {
  const second = { ...search, id: "srvtoolu_2" };
  const foundSecond = { ...found, tool_use_id: "srvtoolu_2" };
  const definition = withTools("anthropic", { type: "web_search_20250305" });

  it("Two calls before their results are sent back in the order in which the provider sent them", async () => {
    const blocks = [search, second, found, foundSecond, { type: "text", text: "Rain." }];
    const { parts } = await askWith(definition, claudeAnswer(blocks));
    const { sent } = await askWith(definition, claudeAnswer([]), { messages: transcript(storedAnswer(parts).parts) });
    expect(middle(sent.body)).toMatchObject({ content: blocks });
  });

  it("PROVTOOL4 A call whose result follows the results of other calls is sent back while it waits, and with its result later", async () => {
    const blocks = [search, { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Oslo" } }];
    const tools = [{ name: "get_weather", description: "", parameters: { type: "object", properties: {} } }];
    const first = await askWith(definition, claudeAnswer(blocks, "tool_use"), { tools });
    const [, result] = callAndResult("toolu_1");
    const answer = message("assistant", { parts: storedAnswer(first.parts).parts });
    const waiting = [user("First?"), answer, ...(result === undefined ? [] : [result])];
    const rest = claudeAnswer([found, { type: "text", text: "Rain." }]);
    const next = await askWith(definition, rest, { tools, messages: waiting });
    expect(at(next.sent.body, "messages", 1)).toMatchObject({ content: blocks });
    const last = message("assistant", { parts: storedAnswer(next.parts).parts });
    const { sent } = await askWith(definition, rest, { tools, messages: [...waiting, last, user("And then?")] });
    expect(at(sent.body, "messages", 1)).toMatchObject({ content: blocks });
    expect(at(sent.body, "messages", 3)).toMatchObject({ content: [found, { type: "text", text: "Rain." }] });
    // A cut answer in place of the result.
    const cut = message("assistant", { parts: [{ type: "text", text: "I" }] });
    const without = await askWith(definition, rest, { tools, messages: [...waiting, cut, user("And then?")] });
    expect(JSON.stringify(at(without.sent.body, "messages", 1))).toContain("[no result]");
  });
});

it("PROVTOOL3 A turn that Anthropic pauses between a call and its result is one answer with both, and each of its requests offers the tools", async () => {
  const definition = withTools("anthropic", { type: "web_search_20250305" });
  const paused = claudeAnswer([{ type: "text", text: "Look." }, search], "pause_turn");
  const { parts, sent, later } = await askWith(definition, [
    paused,
    claudeAnswer([found, { type: "text", text: "Rain." }]),
  ]);
  expect(grammarFaults(parts)).toEqual([]);
  expect(later).toMatchObject([{ body: { tools: sent.body["tools"] } }]);
  expect(at(later[0]?.body, "messages", 1)).toMatchObject({ content: [{ type: "text" }, search] });
  const stored = storedAnswer(parts).parts;
  expect(stored).toMatchObject([{ text: "Look." }, { id: "srvtoolu_1", output: [{}] }, { text: "Rain." }]);
  const next = await askWith(definition, claudeAnswer([]), { messages: transcript(stored) });
  expect(middle(next.sent.body)).toMatchObject({ content: [{ type: "text" }, search, found, { type: "text" }] });
});

it("The mark for Anthropic's cache stays at the last block of its message", async () => {
  const definition = withTools("anthropic", { type: "web_search_20250305" });
  const { parts } = await askWith(definition, claudeAnswer([{ type: "text", text: "Look." }, search, found]));
  const stored = storedAnswer(parts).parts;
  const { sent } = await askWith(definition, claudeAnswer([]), { messages: transcript(stored) });
  expect(middle(sent.body)).toMatchObject({
    content: [{}, search, { ...found, cache_control: { type: "ephemeral" } }],
  });
});

it("A tool that is in beta has its header, next to the headers of the definition", async () => {
  const definition = {
    ...withTools("anthropic", { type: "code_execution_20250825" }, { type: "web_fetch_20250910" }),
    headers: { "anthropic-beta": "mine-2026-01-01" },
  };
  const { sent } = await askWith(definition, claudeAnswer([{ type: "text", text: "Hi." }]));
  expect(sent.headers.get("anthropic-beta")).toBe("mine-2026-01-01,code-execution-2025-08-25,web-fetch-2025-09-10");
});

it("Requests with functions offer the tools next to them, unless a function has the name or the model takes only one kind", async () => {
  const tools = [{ name: "web_search", description: "", parameters: { type: "object", properties: {} } }];
  const warned = (parts: readonly ModelPart[]) =>
    parts.some((part) => part.type === "raw" && part.chunk.includes("left out"));
  const claude = withTools("anthropic", { type: "web_search_20250305" }, { type: "web_fetch_20250910" });
  const named = await askWith(claude, claudeAnswer([{ type: "text", text: "Hi." }]), { tools });
  expect(named.sent.body["tools"]).toMatchObject([{ type: "web_fetch_20250910" }, { name: "web_search" }]);
  expect(warned(named.parts)).toBe(true);
  const gemini = withTools("google", { type: "google_search" });
  const both = await askWith(gemini, geminiAnswer([[{ text: "Hi." }]]), { tools });
  expect(both.sent.body).toMatchObject({
    tools: [{ googleSearch: {} }, { functionDeclarations: [{ name: "web_search" }] }],
    toolConfig: { functionCallingConfig: { mode: "VALIDATED" }, includeServerSideToolInvocations: true },
  });
  const old = await askWith({ ...gemini, model: "gemini-2.5-pro" }, geminiAnswer([[{ text: "Hi." }]]), { tools });
  expect(old.sent.body["tools"]).toMatchObject([{ functionDeclarations: [{ name: "web_search" }] }]);
});
