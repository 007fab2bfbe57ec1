// Standard Agents, prompts: how thinking is requested from a reasoning model, and what is stored of the thinking.

import type { ReasoningConfig } from "@standardagents/spec";
import { describe, expect, it } from "vitest";

import { start } from "./project.ts";
import { bodySentBy, wireModel } from "./wire.ts";

const openai = async (reasoning: ReasoningConfig) => {
  const changes = { model: { model: "o4-mini" }, prompt: { reasoning } };
  return (await bodySentBy("openai", changes))["reasoning_effort"];
};
const anthropic = async (reasoning: ReasoningConfig) =>
  (await bodySentBy("anthropic", { prompt: { reasoning } }))["thinking"]?.["budget_tokens"];

describe("reasoning", () => {
  it("SAPROMPT22 PromptDefinition.reasoning is sent to the provider in the provider's own form, and the API returns it with the prompt", async () => {
    expect(await bodySentBy("openrouter", { prompt: { reasoning: { effort: "high" } } })).toMatchObject({
      reasoning: { effort: "high" },
    });
    expect(await bodySentBy("openrouter")).not.toHaveProperty("reasoning");
    const { project } = await start({ prompt: { reasoning: { effort: "low", include: true } } });
    expect(await (await project.fetch("/api/prompts/main")).json()).toMatchObject({
      reasoning: { effort: "low", include: true },
    });
  });

  it("SAPROMPT23 ReasoningConfig.effort low asks for little thinking", async () => {
    expect([await openai({ effort: "low" }), await anthropic({ effort: "low" })]).toEqual(["low", 1024]);
  });

  it("SAPROMPT24 ReasoningConfig.effort medium asks for a medium amount of thinking", async () => {
    expect([await openai({ effort: "medium" }), await anthropic({ effort: "medium" })]).toEqual(["medium", 2048]);
  });

  it("SAPROMPT25 ReasoningConfig.effort high asks for much thinking", async () => {
    expect([await openai({ effort: "high" }), await anthropic({ effort: "high" })]).toEqual(["high", 7168]);
  });

  it("SAPROMPT26 ReasoningConfig.effort left out sends no option, so that the model decides", async () => {
    expect([await openai({}), await anthropic({})]).toEqual([undefined, undefined]);
  });

  it("SAPROMPT27 ReasoningConfig.maxTokens bounds the thinking, and replaces effort", async () => {
    expect(await anthropic({ maxTokens: 3000 })).toBe(3000);
    expect(await anthropic({ maxTokens: 4000, effort: "low" })).toBe(4000);
  });
});

describe("thinking that is kept", () => {
  /** Two messages to a model that thinks: events, stored parts of the first answer, second request. */
  async function think(reasoning: ReasoningConfig) {
    const wire = wireModel("anthropic", { model: "case:thinking" });
    const { thread } = await start({ model: wire.definition, prompt: { includeChat: true, reasoning } });
    const events = await thread.say("one");
    await thread.say("two");
    const answer = (await thread.messages()).find(({ role }) => role === "assistant");
    const second = (await wire.sent())[1]?.body["messages"];
    return {
      emitted: events.some(({ type }) => type.startsWith("thinking")),
      stored: answer?.parts.filter(({ type }) => type === "thinking"),
      kept: JSON.stringify([events, await thread.messages(), await thread.logs("llm_request")]),
      sent: [...(second?.[1]?.["content"] ?? [])].map((part) => part["type"]),
    };
  }

  it("SAPROMPT28 ReasoningConfig.exclude removes the thinking from events, stored messages and logs", async () => {
    const shown = await think({ effort: "low" });
    const [part] = shown.stored ?? [];
    // The log stores an answer in the pieces in which it arrived.
    const words = part?.type === "thinking" ? part.thinking.slice(0, 11) : "";
    expect([shown.emitted, shown.kept.includes(words), words]).toEqual([true, true, expect.stringMatching(/\w/)]);
    const hidden = await think({ effort: "low", exclude: true });
    expect([hidden.emitted, hidden.kept.includes(words)]).toEqual([false, false]);
  });

  it("SAPROMPT29 ReasoningConfig.include sends the thinking of earlier runs back to the provider that produced it", async () => {
    expect((await think({ effort: "low", include: true })).sent).toContain("thinking");
    expect((await think({ effort: "low", include: false })).sent).not.toContain("thinking");
  });

  it("SAPROMPT30 ReasoningConfig.include left out means false", async () => {
    expect((await think({ effort: "low" })).sent).not.toContain("thinking");
  });
});
