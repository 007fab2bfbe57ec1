// Servers other than OpenAI's that speak Chat Completions: their thinking and their other differences.

import { describe, expect, it } from "vitest";

import type { ToolSpec } from "#core/ports/model-port.ts";
import type { ModelCompatibility } from "#spec/index.ts";

import { callAndResult, message, readAnswer, emitted, user } from "./ask-model.ts";
import { askAt, stepAfter, storedAnswer } from "./at-address.ts";
import { grammarFaults } from "./grammar.ts";

const tools: ToolSpec[] = [{ name: "get_weather", description: "Weather", parameters: { type: "object" } }];
const deepseek = "https://api.deepseek.com/v1";
const kimi = "https://api.moonshot.ai/v1";
const groq = "https://api.groq.com/openai/v1";
const mistral = "https://api.mistral.ai/v1";
const local = "http://127.0.0.1:11434/v1";

describe("thinking in a field of its own", () => {
  it.for([
    ["reasoning_content", "reasoning-content", deepseek],
    ["reasoning", "reasoning-field", groq],
    ["reasoning", "reasoning-field", local],
  ] as const)(
    "Thinking in a server's field %s is emitted, stored, and sent back in that field with the calls (case %s)",
    async ([field, name, at]) => {
      const model = `case:${name}`;
      const { parts } = await askAt(at, { tools }, { model });
      expect(grammarFaults(parts)).toEqual([]);
      const { thinking, calls } = readAnswer(parts);
      expect([thinking, calls.map((call) => call.name)]).toEqual(["I need the weather.", ["get_weather"]]);
      const blocks = emitted(parts).filter((part) => part.type.endsWith("_start"));
      expect(blocks.map((part) => part.type)).toEqual(["thinking_start", "toolcall_start"]);

      const messages = stepAfter(storedAnswer(parts));
      const [, , turn] = [...((await askAt(at, { tools, messages }, { model })).body["messages"] ?? [])];
      expect(turn).toMatchObject({ role: "assistant", [field]: "I need the weather.", tool_calls: [{}] });
      const other = field === "reasoning" ? "reasoning_content" : "reasoning";
      expect(Object.keys(turn ?? {})).not.toContain(other);
    },
  );

  it("Mistral's thinking in content parts is emitted, and sent back as parts before the text", async () => {
    const model = "case:thinking-parts";
    const { parts } = await askAt(mistral, { tools }, { model });
    expect(grammarFaults(parts)).toEqual([]);
    expect(readAnswer(parts)).toMatchObject({
      thinking: "I need the weather.",
      text: "Let me look.",
      calls: [{ arguments: '{"city":"Rome"}' }, { arguments: '{"city":"Oslo"}' }],
    });
    const messages = stepAfter(storedAnswer(parts));
    const [, , turn] = [...((await askAt(mistral, { tools, messages }, { model })).body["messages"] ?? [])];
    expect(turn?.["content"]).toEqual([
      { type: "thinking", thinking: [{ type: "text", text: "I need the weather." }] },
      { type: "text", text: "Let me look." },
    ]);
  });

  it("Stored thinking is sent neither to another server nor to another model of its server, except to another model of DeepSeek", async () => {
    const { parts } = await askAt(groq, { tools }, { model: "case:reasoning-field" });
    const messages = stepAfter(storedAnswer(parts));
    for (const [at, model] of [
      [groq, "another-model"],
      [local, "case:reasoning-field"],
      [`${local.replace("11434", "11435")}`, "case:reasoning-field"],
    ] as const) {
      expect(JSON.stringify((await askAt(at, { tools, messages }, { model })).body)).not.toContain(
        "I need the weather",
      );
    }
    const made = await askAt(deepseek, { tools }, { model: "case:reasoning-content" });
    const next = { tools, messages: stepAfter(storedAnswer(made.parts)) };
    const { body } = await askAt(deepseek, next, { model: "deepseek-v4-pro" });
    expect(JSON.stringify(body)).toContain('"reasoning_content":"I need the weather."');
  });

  it("Answers of other models are sent with empty thinking to DeepSeek, and with a space as thinking to Kimi if they have calls", async () => {
    const plain = message("assistant", { parts: [{ type: "text", text: "Sunny." }] });
    const messages = [user("?"), ...callAndResult("toolu_01AAAA"), plain, user("Thanks")];
    const thoughts = async (at: string) =>
      [...((await askAt(at, { tools, messages })).body["messages"] ?? [])]
        .filter((entry) => JSON.stringify(entry["role"]) === '"assistant"')
        .map((entry) => entry["reasoning_content"]);
    expect(await thoughts(deepseek)).toEqual(["", ""]);
    // Kimi treats an empty text like a missing one, and needs the field only in turns with calls.
    expect(await thoughts(kimi)).toEqual([" ", undefined]);
    expect(await thoughts(groq)).toEqual([undefined, undefined]);
  });

  it("Excluded thinking is neither in the raw chunks for the log nor in the stored provider data, whatever field a server uses for thinking", async () => {
    for (const [at, name] of [
      [mistral, "thinking-parts"],
      [deepseek, "reasoning-content"],
      [groq, "reasoning-field"],
    ] as const) {
      const { parts } = await askAt(at, { reasoning: { exclude: true } }, { model: `case:${name}` });
      const rest = JSON.stringify(parts.filter((part) => part.type !== "thinking_delta"));
      expect(rest).not.toMatch(/I need|the weather\./);
      expect(rest).toContain("Rome");
    }
  });

  it.for([
    [deepseek, { thinking: { type: "disabled" } }],
    [kimi, { thinking: { type: "disabled" } }],
    ["https://api.z.ai/api/paas/v4", { thinking: { type: "disabled" } }],
    [local, { reasoning_effort: "none" }],
  ] as const)("The server %s is sent its own field that turns thinking off", async ([at, fields]) => {
    const { body } = await askAt(at, {}, { thinkingLevel: "off", model: "some-model" });
    expect(body).toMatchObject(fields);
  });
});

describe("fields that servers refuse", () => {
  it("Streaming requests ask for usage, except those to Mistral, unless `compat.supportsStreamUsage` sets otherwise", async () => {
    const requested = async (at: string, supportsStreamUsage?: boolean) => {
      const compat = supportsStreamUsage === undefined ? {} : { supportsStreamUsage };
      return (await askAt(at, {}, { compat })).body["stream_options"];
    };
    expect(await requested(local)).toEqual({ include_usage: true });
    expect(await requested(mistral)).toBeUndefined();
    expect(await requested(mistral, true)).toEqual({ include_usage: true });
    expect(await requested(local, false)).toBeUndefined();
    expect(await requested("https://mistral.ai.evil.example/v1")).toEqual({ include_usage: true });
  });

  it("Mistral is sent call ids of nine letters and digits, the same in a call and its result", async () => {
    const messages = [user("?"), ...callAndResult("g6fVbXS8K"), user("?"), ...callAndResult("g6fVbXS8K_0123456789ab")];
    const { body } = await askAt(mistral, { tools, messages });
    const ids = [...JSON.stringify(body).matchAll(/"(?:id|tool_call_id)":"([^"]+)"/g)].map(([, id]) => id ?? "");
    expect(ids.map((id) => /^[a-zA-Z0-9]{9}$/.test(id))).toEqual([true, true, true, true]);
    expect(ids[0]).toBe("g6fVbXS8K");
    expect([ids[1], ids[3]]).toEqual([ids[0], ids[2]]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it("OpenAI's reasoning models are sent only the fields that they accept, also through a gateway", async () => {
    const gateway = "https://gateway.ai.cloudflare.com/v1/account/gateway/openai";
    const definition = { model: "gpt-5.4", maxTokens: 500, temperature: 0.2 };
    const { body } = await askAt(gateway, {}, definition);
    expect([body["max_completion_tokens"], body["max_tokens"], body["temperature"]]).toEqual([
      500,
      undefined,
      undefined,
    ]);
    const plain = (await askAt(gateway, {}, { ...definition, model: "gpt-4o" })).body;
    expect([plain["max_completion_tokens"], plain["max_tokens"], plain["temperature"]]).toEqual([undefined, 500, 0.2]);
  });
});

describe("differences that depend on the model, wherever it is served", () => {
  const gateway = "https://gateway.example/v1";
  const plain = message("assistant", { parts: [{ type: "text", text: "Sunny." }] });
  const messages = [user("?"), ...callAndResult("toolu_01AAAA"), plain, user("Thanks")];
  /** `reasoning_content` of the turn with a call, and of the turn with a text. */
  const thoughts = async (at: string, model: string, compat: ModelCompatibility = {}) =>
    [...((await askAt(at, { tools, messages }, { model, compat })).body["messages"] ?? [])]
      .filter((entry) => JSON.stringify(entry["role"]) === '"assistant"')
      .map((entry) => entry["reasoning_content"]);

  it.for([
    ["deepseek-v4-pro", ["", ""]],
    ["deepseek-ai/DeepSeek-V3.2", ["", ""]],
    ["accounts/fireworks/models/deepseek-v3p2", ["", ""]],
    ["moonshotai/Kimi-K2-Thinking", [" ", undefined]],
    ["kimi-k2.5", [" ", undefined]],
    ["deepseek-r1-distill-llama-70b", [undefined, undefined]],
    ["moonshotai/kimi-k2-instruct", [undefined, undefined]],
    ["gpt-4o", [undefined, undefined]],
  ] as const)(
    "Earlier answers are sent to %s at a gateway with the thinking that the model requires",
    async ([model, expected]) => {
      expect(await thoughts(gateway, model)).toEqual(expected);
    },
  );

  it("A host that refuses unknown fields is sent no required thinking, and a definition overrides the host and the model's id", async () => {
    expect(await thoughts(groq, "deepseek-v4-pro")).toEqual([undefined, undefined]);
    expect(await thoughts(groq, "deepseek-v4-pro", { requiresThinking: "all" })).toEqual(["", ""]);
    expect(await thoughts(deepseek, "deepseek-v4-pro", { requiresThinking: "none" })).toEqual([undefined, undefined]);
    expect(await thoughts(gateway, "my-model", { requiresThinking: "calls", emptyThinking: "-" })).toEqual([
      "-",
      undefined,
    ]);
  });

  it("Each field of `compat` overrides what is known of the host and of the model's id", async () => {
    const sent = async (at: string, model: string, compat: ModelCompatibility) => {
      const requested = {
        tools,
        messages,
        parallelToolCalls: false,
        temperature: 0.5,
        maxTokens: 9,
        reasoning: { maxTokens: 0 },
      };
      return (await askAt(at, requested, { model, compat })).body;
    };
    const o3 = await sent(gateway, "o3", {});
    expect(o3).toMatchObject({ max_completion_tokens: 9 });
    expect(Object.keys(o3)).not.toEqual(expect.arrayContaining(["temperature"]));
    expect(Object.keys(o3)).not.toContain("parallel_tool_calls");
    const usual: ModelCompatibility = {
      maxTokensField: "max_tokens",
      supportsTemperature: true,
      supportsParallelToolCalls: true,
    };
    expect(await sent(gateway, "o3", usual)).toMatchObject({
      max_tokens: 9,
      temperature: 0.5,
      parallel_tool_calls: false,
    });
    const less = await sent(gateway, "my-model", { supportsTemperature: false, supportsParallelToolCalls: false });
    expect(Object.keys(less)).not.toContain("temperature");
    expect(Object.keys(less)).not.toContain("parallel_tool_calls");
    expect(await sent(gateway, "my-model", { thinkingOffField: "thinking" })).toMatchObject({
      thinking: { type: "disabled" },
    });
    expect(await sent(deepseek, "my-model", { thinkingOffField: "reasoning_effort" })).toMatchObject({
      reasoning_effort: "none",
    });
    const ids = [
      ...JSON.stringify(await sent(gateway, "my-model", { shortCallIds: true })).matchAll(/"tool_call_id":"([^"]+)"/g),
    ];
    expect(ids.map(([, id]) => id)).toEqual([expect.stringMatching(/^[a-zA-Z0-9]{9}$/)]);
    expect(JSON.stringify(await sent(mistral, "my-model", { shortCallIds: false }))).toContain(
      '"tool_call_id":"toolu_01AAAA"',
    );
  });
});
