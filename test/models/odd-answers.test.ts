// Answers that are unusual in one way each: calls that are cut or malformed, repeated ids, unknown events, usage of a failed call. A call
// runs only if the model finished writing it.

import { describe, expect, it } from "vitest";

import { ask, readAnswer } from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";

describe("unusual responses", () => {
  it.for(["openai", "anthropic", "openrouter", "azure-chat", "vertex-claude"] as const)(
    "Invalid JSON in the arguments of a call of %s is passed on as the model wrote it",
    async (provider) => {
      const parts = await ask(provider, "broken-arguments");
      expect(grammarFaults(parts)).toEqual([]);
      expect(readAnswer(parts)).toMatchObject({
        calls: [{ name: "get_weather", arguments: '{"city": Par' }],
        end: { type: "finish", stop_reason: "tool_calls" },
      });
    },
  );

  it.for(["openai", "anthropic", "openrouter", "azure-chat", "vertex-claude"] as const)(
    "A call of %s is not emitted as complete if the token limit cuts it off",
    async (provider) => {
      const { calls, end } = readAnswer(await ask(provider, "length-in-call"));
      expect(calls).toEqual([]);
      expect(end).toMatchObject({ type: "finish", stop_reason: "length" });
    },
  );

  it("A malformed call at Google is a retryable error", async () => {
    const { end } = readAnswer(await ask("google", "malformed-call"));
    expect(end).toMatchObject({ type: "error", failure: { kind: "api", retryable: true } });
    expect(JSON.stringify(end)).toContain("MALFORMED_FUNCTION_CALL");
  });

  it.for(["openai", "openrouter"] as const)(
    "Two calls of %s with the same id are emitted as two calls with different ids, each with its arguments",
    async (provider) => {
      const { calls } = readAnswer(await ask(provider, "same-id-twice"));
      expect(calls.map((call) => call.arguments)).toEqual(['{"city":"Oslo"}', '{"city":"Rome"}']);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    },
  );

  it.for([
    ["anthropic", 1],
    ["google", 3],
  ] as const)("An error in the middle of an answer of %s reports the used tokens", async ([provider, output]) => {
    const { end } = readAnswer(await ask(provider, "error-mid-stream"));
    const usage = { input: 12, output, cache_read: 0, cache_write: 0, total_tokens: 12 + output };
    expect(end).toMatchObject({ type: "error", usage });
  });

  it("Token counts are read also from a field that only one server uses", async () => {
    const usage = { input: 7, output: 8, cache_read: 5, cache_write: 0, total_tokens: 20 };
    expect(readAnswer(await ask("openai", "counts-elsewhere")).end).toMatchObject({ type: "finish", usage });
  });

  it("A failed answer has no usage if the provider reported none", async () => {
    expect(readAnswer(await ask("openai", "error-mid-stream")).end).not.toHaveProperty("usage");
    expect(readAnswer(await ask("anthropic", "unavailable")).end).not.toHaveProperty("usage");
  });

  it("An event of an unknown kind in a model's stream is ignored", async () => {
    const parts = await ask("anthropic", "unknown-event");
    expect(grammarFaults(parts)).toEqual([]);
    expect(readAnswer(parts)).toMatchObject({ text: "Hello.", end: { type: "finish", stop_reason: "stop" } });
  });

  it("OpenRouter's reported price is used, and other providers report none", async () => {
    expect(readAnswer(await ask("openrouter", "text")).end).toMatchObject({ reported_cost: 0.000052 });
    expect(readAnswer(await ask("anthropic", "text")).end).toMatchObject({ reported_cost: null });
  });

  it("The end of an answer has the id of the model that the provider reports", async () => {
    const named = await Promise.all(
      (["openai", "anthropic", "google", "openrouter", "azure", "vertex", "vertex-claude"] as const).map(
        async (provider) => readAnswer(await ask(provider, "text")).end,
      ),
    );
    expect(named.map((end) => (end.type === "finish" ? end.model_id : null))).toEqual([
      "gpt-4o-2024-08-06",
      "claude-haiku-4-5-20251001",
      "gemini-2.5-flash",
      "anthropic/claude-haiku-4.5",
      "gpt-5.4-2026-03-05",
      "gemini-2.5-flash",
      "claude-haiku-4-5-20251001",
    ]);
  });
});
