// Tools that the provider executed, in a thread: their events, the stored message, its replay, its export, and the next run.

import { describe, expect, it } from "vitest";

import { foldAll } from "#contract/fold.ts";

import { start } from "../standard-agents/project.ts";
import { wireModel } from "../standard-agents/wire.ts";
import { exported, replaced } from "./archive-client.ts";
import { messagesOf } from "./team-driver.ts";
import { admin, crash, follow, stubOf, value } from "./thread-driver.ts";

const part = {
  type: "provider_tool",
  id: "srvtoolu_01",
  name: "web_search",
  input: { query: "rain in Oslo" },
  output: [
    { type: "web_search_result", url: "https://weather.example/oslo" },
    { type: "web_search_result", url: "javascript:alert(1)" },
  ],
};

async function searched(prompt: object = {}) {
  const tools = { providerTools: [{ type: "web_search_20250305" }] };
  const wire = wireModel("anthropic", { model: "case:server-tool", ...tools });
  const { thread } = await start({ model: wire.definition, prompt });
  return { thread, wire, events: await thread.say("Does it rain?") };
}

/** All events of the thread, as a reader receives them later. */
async function replay(id: string) {
  const following = await follow(id, { after: "0", until: "idle", include_silent: "true" });
  await following.closed;
  return following.events;
}

describe("a call that the provider executed", () => {
  it("PROVTOOL8 A thread emits the start of the call and its end, and stores the call with its result and no tool message", async () => {
    const { thread, events } = await searched();
    const types = events.map(({ type }) => type).filter((type) => /^(provider_tool|tool)/.test(type));
    expect(types).toEqual(["provider_tool_start", "provider_tool_end"]);
    expect(events.find(({ type }) => type === "provider_tool_start")).not.toHaveProperty("part.output");
    const [, answer, ...others] = await messagesOf(thread.id);
    expect(others).toEqual([]);
    expect(answer).toMatchObject({
      content: "Let me look.It rains in Oslo.",
      tool_calls: null,
      stop_reason: "stop",
      parts: [{ type: "text" }, part, { type: "text" }],
      metadata: { sources: [{ url: "https://weather.example/oslo", title: "Weather in Oslo <b>today</b>" }] },
    });
    expect(JSON.stringify(answer)).not.toContain("RU5DUllQVEVE");
  });

  it("PROVTOOL8 The replay of the events gives the same message as the live events, also after an eviction and an import", async () => {
    const { thread, events } = await searched();
    const live = foldAll(events.filter(({ type }) => type !== "snapshot")).messages.at(-1);
    expect(live?.parts).toMatchObject([{ type: "text" }, part, { type: "text" }]);
    await crash(thread.id);
    const ofTools = (await replay(thread.id)).filter(({ type }) => type.startsWith("provider_tool"));
    expect(ofTools).toMatchObject([
      { type: "provider_tool_start", part: { id: part.id, input: part.input } },
      { type: "provider_tool_end", part },
    ]);
    expect(ofTools[0]).not.toHaveProperty("part.output");
    await replaced(thread.id, await exported(thread.id));
    expect(foldAll(await replay(thread.id)).messages.at(-1)?.parts).toEqual(live?.parts);
    const { items } = await value(
      stubOf(thread.id).call("listMessages", admin, { limit: 10, order: "asc", include_silent: false }),
    );
    expect(items.at(-1)).toMatchObject({ parts: [{}, part, {}] });
  });

  it("PROVTOOL3 The next run of a prompt that includes past tools sends the blocks back, and of another prompt the texts alone", async () => {
    const types = async (prompt: object) => {
      const { thread, wire } = await searched({ includeChat: true, ...prompt });
      await thread.say("And tomorrow?");
      const [, second] = await wire.sent();
      const content = second?.body["messages"]?.[1]?.["content"] as unknown as { type: string }[];
      return content.map(({ type }) => type);
    };
    expect(await types({ includePastTools: true })).toEqual([
      "text",
      "server_tool_use",
      "web_search_tool_result",
      "text",
    ]);
    expect(await types({})).toEqual(["text", "text"]);
  });
});
