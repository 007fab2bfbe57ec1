// The choice between OpenAI's protocols by address, and requests to the Responses API.

import { describe, expect, it } from "vitest";

import type { ToolSpec } from "#core/ports/model-port.ts";

import { callAndResult, message, readAnswer, user } from "./ask-model.ts";
import { askAt, stepAfter, storedAnswer } from "./at-address.ts";
import { grammarFaults } from "./grammar.ts";

const tools: ToolSpec[] = [
  {
    name: "get_weather",
    description: "Weather",
    parameters: { type: "object", properties: { city: { type: "string" } } },
  },
];
const reasoning = { effort: "low" } as const;
const own = "https://api.openai.com/v1";
const elsewhere = "https://llm.example/v1";

describe("the protocol", () => {
  it.for([null, own, "https://api.openai.com", "https://eu.api.openai.com/v1"])(
    "A model at OpenAI's own address (%s) uses the Responses API",
    async (baseUrl) => {
      const { url, parts } = await askAt(baseUrl);
      expect(url).toMatch(/^https:\/\/(eu\.)?api\.openai\.com\/v1\/responses$/);
      expect(readAnswer(parts)).toMatchObject({ text: "Hello there, how can I help?", end: { stop_reason: "stop" } });
    },
  );

  it.for([elsewhere, "https://api.openai.com.evil.example/v1", "https://notapi.openai.com/v1"])(
    "A model at another address (%s) uses Chat Completions",
    async (baseUrl) => {
      const { url, parts } = await askAt(baseUrl);
      expect(url).toBe(`${baseUrl}/chat/completions`);
      expect(readAnswer(parts).text).toBe("Hello there, how can I help?");
    },
  );

  it("A model's `api` chooses the protocol at any address", async () => {
    expect((await askAt(own, {}, { api: "chat" })).url).toBe(`${own}/chat/completions`);
    expect((await askAt(elsewhere, {}, { api: "responses" })).url).toBe(`${elsewhere}/responses`);
  });

  it("`openai-responses` uses the Responses API at any address", async () => {
    expect((await askAt(elsewhere, {}, { provider: "openai-responses" })).url).toBe(`${elsewhere}/responses`);
    expect((await askAt(null, {}, { provider: "openai-responses" })).url).toBe(`${own}/responses`);
  });
});

describe("the Responses API", () => {
  it("A request to the Responses API asks to store nothing, to encrypt reasoning, and to check tools without strict mode", async () => {
    const { body } = await askAt(own, { tools, reasoning }, { model: "gpt-5.4" });
    expect(body).toMatchObject({
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "low", summary: "auto" },
      tools: [{ type: "function", name: "get_weather", strict: false }],
      input: [{ role: "developer" }, { role: "user" }],
    });
  });

  it("A model with an unknown id is sent reasoning options over the Responses API if `compat` enables them", async () => {
    const plain = (await askAt(elsewhere, {}, { model: "my-deployment", api: "responses" })).body;
    expect([plain["store"], plain["include"]]).toEqual([false, undefined]);
    const compat = { supportsReasoningEffort: true, supportsDeveloperRole: true };
    const emitted = (await askAt(elsewhere, {}, { model: "my-deployment", api: "responses", compat })).body;
    expect(emitted).toMatchObject({ include: ["reasoning.encrypted_content"], input: [{ role: "developer" }, {}] });
  });

  it.for([
    ["thinking-then-call", "gAAAAABsig2"],
    ["thinking", "gAAAAABsig"],
  ] as const)(
    "Encrypted reasoning of the case %s is stored and sent back as one item with its summaries in order",
    async ([name, signature]) => {
      const { parts } = await askAt(own, { tools }, { model: `case:${name}` });
      expect(grammarFaults(parts)).toEqual([]);
      const messages = stepAfter(storedAnswer(parts));
      const { body } = await askAt(own, { tools, messages }, { model: "gpt-5.4" });
      const items = [...(body["input"] ?? [])].filter((item) => JSON.stringify(item["type"]) === '"reasoning"');
      const texts = name === "thinking" ? ["Two and two make four."] : ["I need the weather.", "Rome it is."];
      expect(items).toEqual([
        {
          type: "reasoning",
          id: "rs_68a0",
          encrypted_content: signature,
          summary: texts.map((text) => ({ type: "summary_text", text })),
        },
      ]);
    },
  );

  it("Encrypted reasoning without a visible text is stored and sent back", async () => {
    const { parts } = await askAt(own, {}, { model: "case:hidden-thinking" });
    expect(readAnswer(parts)).toMatchObject({ thinking: "", text: "It is 4." });
    expect(parts.find((part) => part.type === "thinking_start")).toMatchObject({ redacted: true });
    const { body } = await askAt(own, { messages: [user("?"), storedAnswer(parts), user("So?")] });
    expect(JSON.stringify(body["input"])).toContain('"encrypted_content":"gAAAAABsig","summary":[]');
  });

  it("Unencrypted reasoning is not sent back, because its id names an item that the server does not store", async () => {
    const { parts } = await askAt(own, {}, { model: "case:unencrypted-thinking" });
    expect(parts.filter((part) => part.type === "thinking_start")).toEqual([]);
    const lost = {
      type: "thinking" as const,
      thinking: "Hm.",
      provider_data: { provider: "openai-responses", data: { openai: { itemId: "rs_1" } } },
    };
    const said = message("assistant", { parts: [lost, { type: "text", text: "Four." }] });
    const { body } = await askAt(own, { messages: [user("?"), said, user("So?")] });
    expect(JSON.stringify(body["input"])).not.toMatch(/rs_1|"reasoning"|msg_/);
    expect(JSON.stringify(body["input"])).toContain("Four.");
  });

  it("Calls and results have matching ids that the API accepts, and no ids of stored items", async () => {
    const id = `functions.get_weather:0_${"x".repeat(80)}`;
    const messages = [user("?"), ...callAndResult(id)];
    const { body } = await askAt(own, { tools, messages }, { model: "gpt-5.4" });
    const [, , call, result] = [...(body["input"] ?? [])];
    expect(call).toMatchObject({ type: "function_call", name: "get_weather", arguments: '{"city":"Oslo"}' });
    expect(result).toMatchObject({ type: "function_call_output", output: "sunny" });
    expect(call?.["call_id"]).toBe(result?.["call_id"]);
    expect(JSON.stringify(call?.["call_id"]).length).toBeLessThanOrEqual(66);
    expect(JSON.stringify(body)).not.toMatch(/item_reference|"fc_/);
    // The SDK package would send the id of a text that follows reasoning.
    const answer = storedAnswer((await askAt(own, {}, { model: "case:thinking" })).parts);
    const next = (await askAt(own, { messages: stepAfter(answer) }, { model: "gpt-5.4" })).body;
    expect([...(next["input"] ?? [])].map((item) => item["type"] ?? item["role"])).toContain("assistant");
    expect(JSON.stringify(next)).not.toMatch(/item_reference|"msg_/);
  });

  it("Reasoning of the Responses API is sent neither to another server nor to Chat Completions, where the transcript continues with its calls and results", async () => {
    const answer = storedAnswer((await askAt(own, { tools }, { model: "case:thinking-then-call" })).parts);
    const messages = stepAfter(answer);
    const other = (await askAt(elsewhere, { tools, messages }, { model: "gpt-5.4", api: "responses" })).body;
    expect(JSON.stringify(other)).not.toMatch(/gAAAA|I need the weather|rs_68/);
    for (const to of [own, elsewhere]) {
      const { body } = await askAt(to, { tools, messages }, { model: "gpt-5.4", api: "chat" });
      expect(JSON.stringify(body)).not.toMatch(/gAAAA|I need the weather|rs_68/);
      const [, , requested, result] = [...(body["messages"] ?? [])];
      expect(requested?.["tool_calls"]?.[0]).toMatchObject({ function: { name: "get_weather" } });
      expect(result).toMatchObject({ role: "tool", tool_call_id: requested?.["tool_calls"]?.[0]?.["id"] });
    }
  });

  it("A transcript of Chat Completions continues under the Responses API, without its thinking", async () => {
    const { parts } = await askAt("https://api.deepseek.com", { tools }, { model: "case:reasoning-content" });
    const { body } = await askAt(own, { tools, messages: stepAfter(storedAnswer(parts)) }, { model: "gpt-5.4" });
    expect(JSON.stringify(body)).not.toContain("I need the weather");
    const [, , call, result] = [...(body["input"] ?? [])];
    expect(call).toMatchObject({ type: "function_call", call_id: "call_00_rGGuLWLHvYxVPM71" });
    expect(result).toMatchObject({ type: "function_call_output", call_id: "call_00_rGGuLWLHvYxVPM71" });
  });
});

describe("thinking turned off", () => {
  const off = { thinkingLevel: "off" } as const;

  it.for([
    ["gpt-5.4", "none"],
    ["gpt-5.6", "none"],
    ["gpt-5-mini", "minimal"],
    ["o4-mini", "low"],
    ["gpt-5.2-pro", "low"],
  ] as const)("With thinking turned off, the model %s is sent the reasoning effort %s", async ([model, effort]) => {
    const { body, parts } = await askAt(own, {}, { ...off, model });
    expect(body["reasoning"]).toEqual(effort === "none" ? { effort } : { effort, summary: "auto" });
    expect(JSON.stringify(parts).includes("always thinks")).toBe(effort !== "none");
    expect((await askAt(own, {}, { ...off, model, api: "chat" })).body["reasoning_effort"]).toBe(effort);
  });

  it("A model that does not reason gets no reasoning options", async () => {
    expect((await askAt(own, {}, { ...off, model: "gpt-4o" })).body["reasoning"]).toBeUndefined();
  });

  it("A prompt's reasoning budget of zero tokens turns thinking off, although the model's level is high", async () => {
    const { body } = await askAt(own, { reasoning: { maxTokens: 0 } }, { thinkingLevel: "high", model: "gpt-5.4" });
    expect(body["reasoning"]).toEqual({ effort: "none" });
  });
});

it("No summary of the thinking is requested if the prompt excludes thinking", async () => {
  const { body } = await askAt(own, { reasoning: { effort: "high", exclude: true } }, { model: "gpt-5.4" });
  expect(body["reasoning"]).toEqual({ effort: "high" });
});
