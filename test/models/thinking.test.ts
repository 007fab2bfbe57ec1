// Thinking and its signatures: how they arrive, and to which providers they are sent back.

import { describe, expect, it } from "vitest";

import type { ModelMessage } from "#core/ports/model-port.ts";

import { ask, message, readAnswer, emitted, user, type Provider } from "./ask-model.ts";
import { storedAnswer } from "./at-address.ts";
import { grammarFaults } from "./grammar.ts";
import { capture } from "./sent-request.ts";

const thinkers = ["openai-responses", "anthropic", "google", "openrouter", "azure", "vertex", "vertex-claude"] as const;

/** Signatures of Claude are compatible across platforms, so these two accept each other's thinking. */
const claudes: readonly string[] = ["anthropic", "vertex-claude"];

/** The request that a provider is sent after an answer whose call has a result. */
async function sentAfter(provider: Provider, answer: ModelMessage): Promise<string> {
  const call = answer.parts.find((part) => part.type === "tool_call");
  const result =
    call === undefined
      ? [user("Go on")]
      : [message("tool", { name: call.name, tool_call_id: call.id, result: { status: "success", result: "sunny" } })];
  const { body } = await capture(provider, { messages: [user("?"), answer, ...result] });
  return JSON.stringify(body["messages"] ?? body["contents"] ?? body["input"]);
}

describe.for(thinkers)("thinking of %s", (provider) => {
  it("Thinking is emitted as a separate block before the text", async () => {
    const parts = await ask(provider, "thinking");
    expect(grammarFaults(parts)).toEqual([]);
    expect(readAnswer(parts)).toMatchObject({ thinking: "Two and two make four.", text: "It is 4." });
    const blocks = emitted(parts).filter((part) => part.type.endsWith("_start"));
    expect(blocks.map((part) => part.type)).toEqual(["thinking_start", "text_start"]);
  });

  it.for(["thinking", "thinking-then-call"])(
    "The thinking signature of the case %s is sent back to the provider that produced it",
    async (name) => {
      const signature = /sig2?(?=")/.exec(await sentAfter(provider, storedAnswer(await ask(provider, name))))?.[0];
      expect(signature).toBe(name === "thinking" ? "sig" : "sig2");
    },
  );

  it.for(thinkers.filter((other) => other !== provider && !(claudes.includes(other) && claudes.includes(provider))))(
    "Neither thinking of another provider nor its signature is sent to %s",
    async (other) => {
      const sent = await sentAfter(other, storedAnswer(await ask(provider, "thinking-then-call")));
      expect(sent).not.toMatch(/sig2|I need the weather/);
      expect(sent).toContain("get_weather");
    },
  );
});

describe.for(thinkers)("excluded thinking of %s", (provider) => {
  it("Excluded thinking is neither in the raw chunks for the log nor in the stored provider data, and its signature is sent back", async () => {
    const parts = await ask(provider, "thinking-then-call", { reasoning: { exclude: true } });
    const rest = parts.filter((part) => part.type !== "thinking_delta");
    expect(JSON.stringify(rest)).not.toContain("I need the weather");
    expect(JSON.stringify(rest)).toContain("Rome");
    const answer = storedAnswer(parts);
    // The core hides the text itself; this is the data that it stores.
    for (const part of answer.parts) if (part.type === "thinking") part.thinking = "";
    const sent = await sentAfter(provider, answer);
    expect(sent).toContain("sig2");
    expect(sent).not.toContain("I need the weather");
  });
});

describe("encrypted thinking", () => {
  it("Redacted thinking is marked, has no text, and is sent back unchanged", async () => {
    const parts = emitted(await ask("anthropic", "redacted-thinking"));
    expect(parts[0]).toEqual({ type: "thinking_start", index: 0, redacted: true });
    expect(parts[1]).toMatchObject({ type: "thinking_end", index: 0 });
    expect(await sentAfter("anthropic", storedAnswer(parts))).toContain(
      '{"type":"redacted_thinking","data":"EmwKAhgBEgyVZx=="}',
    );
  });

  it("OpenRouter's reasoning details are stored once, with the thinking", async () => {
    const parts = await ask("openrouter", "thinking-then-call");
    const carriers = parts.filter((part) => "provider_data" in part).map((part) => part.type);
    expect(carriers).toEqual(["thinking_end"]);
  });
});
