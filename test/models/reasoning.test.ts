// How a prompt's `reasoning` is sent to each provider, read from the requests that a server on the loopback received.

import { describe, expect, it } from "vitest";

import type { ModelRequest, ToolSpec } from "#core/ports/model-port.ts";
import type { AnyModelDefinition, ReasoningConfig } from "#spec/index.ts";

import { callAndResult, providers, user, type Provider, wireOf, type Wire } from "./ask-model.ts";
import { overHttp } from "./http-request.ts";
import type { Sent } from "./sent-request.ts";

const tools: ToolSpec[] = [{ name: "look", description: "Looks", parameters: { type: "object" } }];

/** The fields in which a provider receives reasoning options. */
const fields: Record<Wire, (body: Sent) => unknown> = {
  openai: (body) => body["reasoning_effort"],
  "openai-responses": (body) => body["reasoning"],
  anthropic: (body) => ({ thinking: body["thinking"], effort: body["output_config"]?.["effort"] }),
  google: (body) => body["generationConfig"]?.["thinkingConfig"],
  openrouter: (body) => body["reasoning"],
  bedrock: (body) => body["additionalModelRequestFields"],
};

async function requested(
  provider: Provider,
  reasoning: ReasoningConfig,
  { model, ...more }: Partial<Omit<ModelRequest, "model">> & { model?: string } = {},
  definition: Partial<AnyModelDefinition> = {},
) {
  const named = model === undefined ? {} : { model };
  const { body, warnings } = await overHttp(provider, { reasoning, ...more }, { ...definition, ...named });
  return { sent: fields[wireOf(provider)](body), body, warnings };
}

describe("openai", () => {
  it.for(["o4-mini", "gpt-5", "gpt-5.1", "some-model"])(
    "The OpenAI model %s is sent the reasoning effort",
    async (model) => {
      for (const effort of ["low", "medium", "high"] as const) {
        expect((await requested("openai", { effort }, { model })).sent).toBe(effort);
      }
    },
  );

  it("A number of reasoning tokens is sent to OpenAI as the nearest effort, replaces the effort that is set, and logs a warning", async () => {
    const { sent, warnings } = await requested("openai", { effort: "high", maxTokens: 2000 }, { model: "o4-mini" });
    expect(sent).toBe("medium");
    expect(warnings).toContain('2000 tokens were asked for as effort \\"medium\\"');
  });

  it.for(["gpt-4o", "gpt-4.1", "gpt-5-chat-latest"])(
    "The model %s, which does not reason, is sent no reasoning effort",
    async (model) => {
      const { sent, warnings } = await requested("openai", { effort: "high" }, { model });
      expect(sent).toBeUndefined();
      expect(warnings).toContain("does not reason");
    },
  );

  it("The lowest reasoning effort is sent to OpenAI models that support it, and `low` to others", async () => {
    const level = { thinkingLevel: "minimal" } as const;
    expect((await requested("openai", {}, { model: "gpt-5-mini" }, level)).sent).toBe("minimal");
    expect((await requested("openai", {}, { model: "o4-mini" }, level)).sent).toBe("low");
    expect(
      (await requested("openai", {}, { model: "gpt-4o" }, { ...level, compat: { supportsReasoningEffort: true } }))
        .sent,
    ).toBe("minimal");
    expect(
      (
        await requested(
          "openai",
          { effort: "low" },
          { model: "o4-mini" },
          { compat: { supportsReasoningEffort: false } },
        )
      ).sent,
    ).toBeUndefined();
  });
});

describe("anthropic", () => {
  it("Models up to Claude 4.6 are sent a thinking budget, which is raised to the minimum with a warning and kept under the token limit", async () => {
    for (const model of ["claude-sonnet-4-5-20250929", "claude-opus-4-6", "claude-sonnet-4-20250514"]) {
      const { sent, body, warnings } = await requested("anthropic", { maxTokens: 300 }, { model, maxTokens: 4000 });
      expect(sent).toEqual({ thinking: { type: "enabled", budget_tokens: 1024 }, effort: undefined });
      expect([body["max_tokens"], warnings.includes("raised to the floor of 1024")]).toEqual([4000, true]);
    }
    const { sent, body } = await requested("anthropic", { effort: "low", maxTokens: 5000 }, { maxTokens: 5000 });
    expect(sent).toEqual({ thinking: { type: "enabled", budget_tokens: 3976 }, effort: undefined });
    expect(body["max_tokens"]).toBe(5000);
  });

  it.for(["claude-opus-4-7", "claude-sonnet-5", "claude-haiku-5-5-20261001", "claude-fable-5"])(
    "The model %s, which refuses a thinking budget, is sent a reasoning effort and shows its thinking unless `exclude` is set",
    async (model) => {
      const shown = await requested("anthropic", { effort: "medium" }, { model });
      expect(shown.sent).toEqual({ thinking: { type: "adaptive", display: "summarized" }, effort: "medium" });
      const hidden = await requested("anthropic", { maxTokens: 9000, exclude: true }, { model });
      expect(hidden.sent).toEqual({ thinking: { type: "adaptive", display: "omitted" }, effort: "high" });
      expect(hidden.warnings).toContain("takes no thinking budget");
      expect(shown.body["max_tokens"]).toBe(8192);
    },
  );

  it("Anthropic is sent no thinking options with a forced call, after another provider's calls or with too few tokens, and the log has a warning", async () => {
    const high = { effort: "high" } as const;
    const forced = await requested("anthropic", high, { tools, toolChoice: "required" });
    const messages = [user("?"), ...callAndResult("call_1234567890")];
    const foreign = await requested("anthropic", high, { messages, tools });
    const narrow = await requested("anthropic", high, { maxTokens: 1024 });
    for (const { sent, warnings } of [forced, foreign, narrow]) {
      expect(sent).toEqual({ thinking: undefined, effort: undefined });
      expect(warnings).toMatch(/not asked to/);
    }
  });
});

describe("google", () => {
  it("Models up to Gemini 2.5 are sent a thinking budget between the model's bounds and under the token limit", async () => {
    const budget = async (model: string, reasoning: ReasoningConfig, maxTokens: number | null = null) => {
      const { sent, warnings } = await requested("google", reasoning, { model, maxTokens });
      return [(sent as { thinkingBudget?: number } | undefined)?.thinkingBudget, warnings.includes("floor")];
    };
    expect(await budget("gemini-2.5-flash", { effort: "low" })).toEqual([512, false]);
    expect(await budget("gemini-2.5-flash", { effort: "high", maxTokens: 3000 })).toEqual([3000, false]);
    expect(await budget("gemini-2.5-flash", { maxTokens: 90_000 })).toEqual([24_576, false]);
    expect(await budget("gemini-2.5-pro", { maxTokens: 90_000 })).toEqual([32_768, false]);
    expect(await budget("gemini-2.5-pro", { maxTokens: 20 })).toEqual([128, true]);
    expect(await budget("gemini-2.5-flash-lite", { maxTokens: 100 })).toEqual([512, true]);
    expect(await budget("gemini-2.5-flash", { effort: "high" }, 4000)).toEqual([2976, false]);
    expect(await budget("gemini-2.5-pro", { effort: "high" }, 100)).toEqual([undefined, false]);
  });

  it("Gemini from version 3 on is sent a thinking level, or the number of thinking tokens that was set", async () => {
    const sent = async (model: string, reasoning: ReasoningConfig) =>
      (await requested("google", reasoning, { model })).sent;
    const shown = { includeThoughts: true };
    expect(await sent("gemini-3.1-pro", { effort: "medium" })).toEqual({ thinkingLevel: "medium", ...shown });
    expect(await sent("gemini-3-pro-preview", { effort: "medium" })).toEqual({ thinkingLevel: "high", ...shown });
    expect(await sent("gemini-3-flash", { effort: "low", maxTokens: 700 })).toEqual({ thinkingBudget: 700, ...shown });
  });

  it("Gemini is not asked for thoughts if they are excluded, and a model that does not think is sent no thinking options", async () => {
    expect((await requested("google", { effort: "low", exclude: true }, { model: "gemini-2.5-flash" })).sent).toEqual({
      thinkingBudget: 512,
      includeThoughts: false,
    });
    for (const model of ["gemini-2.0-flash", "gemini-1.5-pro", "gemma-3-27b-it"]) {
      const { sent, warnings } = await requested("google", { effort: "low" }, { model });
      expect(sent).toBeUndefined();
      expect(warnings).toContain("does not think");
    }
  });
});

describe("openrouter", () => {
  it("OpenRouter is sent the reasoning effort or the number of reasoning tokens, and `exclude` also if neither is set", async () => {
    const sent = async (reasoning: ReasoningConfig, more = {}) => (await requested("openrouter", reasoning, more)).sent;
    expect(await sent({ effort: "medium" })).toEqual({ effort: "medium" });
    expect(await sent({ effort: "low", maxTokens: 700 })).toEqual({ max_tokens: 700 });
    expect(await sent({ effort: "low", exclude: true })).toEqual({ effort: "low", exclude: true });
    expect(await sent({ exclude: true })).toEqual({ exclude: true });
    expect(await sent({ include: true })).toBeUndefined();
    expect(await sent({ maxTokens: 700 }, { model: "anthropic/claude-sonnet-4.5", maxTokens: 4000 })).toEqual({
      max_tokens: 1024,
    });
    expect(await sent({ maxTokens: 9000 }, { maxTokens: 4000 })).toEqual({ max_tokens: 2976 });
  });
});

describe("every provider", () => {
  it.for(providers)(
    "The provider %s is sent no reasoning fields without reasoning options, and is not sent `include`",
    async (provider) => {
      for (const reasoning of [{}, { include: true }]) {
        const { sent } = await requested(provider, reasoning, { model: "o4-mini" });
        expect(JSON.stringify(sent ?? {})).toBe("{}");
      }
      const { body } = await overHttp(provider);
      expect(JSON.stringify(body)).not.toMatch(/thinking|reasoning/);
    },
  );
});
