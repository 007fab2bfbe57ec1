// Turns that Anthropic pauses: each request that continues a turn reserves its share of the budget before it is sent. The model server on the
// loopback pauses each turn again and again; each response has 1,000 tokens and costs 0.002 USD.

import { definePrompt, defineTool } from "@standardagents/spec";
import type { AnyModelDefinition } from "@standardagents/spec";
import { beforeEach, describe, expect, inject, it } from "vitest";
import { z } from "zod";

import type { Usage } from "#contract/usage.ts";
import { llm } from "#facade/upp/llm.ts";
import anthropic from "#facade/upp/provider/anthropic-models.ts";

import { start } from "../standard-agents/project.ts";
import type { Changes } from "../standard-agents/project.ts";
import { wireModel } from "../standard-agents/wire.ts";
import { allow, resetLimits } from "../worker/limited.ts";
import { latch, isEnd, lastRunOf, messagesOf } from "./team-driver.ts";
import { admin, crash, follow, message, stubOf, value } from "./thread-driver.ts";

beforeEach(resetLimits);

/** An answer may have as many tokens as each response of the server has. */
const prices = { inputPrice: 2, outputPrice: 2, maxTokens: 960 };

/** A project whose model answers with these cases in turn. */
async function paused(cases = "paused", changes: Changes = {}, model: Partial<AnyModelDefinition> = {}) {
  const wire = wireModel("anthropic", { model: `case:${cases}`, ...prices, ...model });
  const { thread } = await start({ ...changes, model: wire.definition });
  const requests = async () => (await wire.sent()).length;
  return { thread, requests };
}

const rowsOf = async (id: string) =>
  (await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc", type: "llm_request" }))).items;

describe("a paused turn", () => {
  it("LIMIT31 Without a limit of tokens or cost a turn that pauses without end sends eleven requests, and its log row has the number of those that continued it", async () => {
    const { thread, requests } = await paused();
    const events = await thread.say("Search.");
    expect(events.at(-1)).toMatchObject({ status: "completed", usage: { total_tokens: 11_000 } });
    expect(await requests()).toBe(11);
    const [row] = await rowsOf(thread.id);
    expect(row?.data).toMatchObject({ stop_reason: "stop", continuations: 10, cost: expect.closeTo(0.022) });
  });

  it("LIMIT31 A turn that is not paused has no number of continuations in its log row", async () => {
    const { thread, requests } = await paused("text");
    await thread.say("Hello.");
    expect(await requests()).toBe(1);
    expect((await rowsOf(thread.id))[0]?.data).not.toHaveProperty("continuations");
  });

  it.each([
    ["LIMIT_RUN_TOKENS=3000", { tokens: 3000 }, {}, 3],
    ["LIMIT_RUN_TOKENS=3001", { tokens: 3001 }, {}, 4],
    ["LIMIT_RUN_TOKENS=500", { tokens: 500 }, {}, 1],
    ["LIMIT_RUN_COST=0.005", { cost: 0.005 }, {}, 3],
    ["LIMIT_THREAD_TOKENS=3000", {}, { tokens: 3000 }, 3],
    ["LIMIT_THREAD_COST=0.005", {}, { cost: 0.005 }, 3],
    ["STEP_CEILING=5", { steps: 5 }, {}, 5],
    ["STEP_CEILING=1", { steps: 1 }, {}, 1],
  ])(
    "LIMIT31 Under %s a turn that pauses without end is continued until the limit is reached, and ends like an answer at its token limit",
    async (_name, run, thread, most) => {
      allow(run, thread);
      const { thread: one, requests } = await paused();
      const events = await one.say("Search.");
      expect(await requests()).toBe(most);
      expect(events.at(-1)).toMatchObject({ type: "run_end", usage: { total_tokens: most * 1000 } });
      const [answer] = (await messagesOf(one.id)).filter(({ role }) => role === "assistant");
      expect(answer).toMatchObject({ stop_reason: "length", usage: { total_tokens: most * 1000 } });
      expect((await one.contents()).at(-1)).toBe("Still searching. ".repeat(most));
    },
  );

  it("LIMIT31 The tokens of a turn that fails after its pauses count, so that its retries do not exceed the limit", async () => {
    allow({ tokens: 5000 });
    const failing = "paused|paused|unavailable";
    const { thread, requests } = await paused(`${failing}|${failing}|paused`, {}, { retry: { initialDelayMs: 1 } });
    const events = await thread.say("Search.");
    expect(events.at(-1)).toMatchObject({ type: "run_end", usage: { total_tokens: 5000 } });
    // Two attempts with two pauses each, and the first request of the third attempt.
    expect(await requests()).toBe(7);
    const [answer] = (await messagesOf(thread.id)).filter(({ role }) => role === "assistant");
    expect(answer).toMatchObject({ stop_reason: "length", usage: { total_tokens: 1000 } });
    const totals = (await rowsOf(thread.id)).map(({ data }) => (data as { usage: Usage }).usage.total_tokens);
    expect(totals).toEqual([2000, 2000, 1000]);
  });

  it("LIMIT31 A limit of steps of a caller or of an agent does not count the requests that continue a turn", async () => {
    const { thread, requests } = await paused("paused", { side: { maxSteps: 1 } });
    const events = await thread.say("Search.", { limits: { steps: 1 } });
    expect(events.at(-1)).toMatchObject({ status: "completed" });
    expect(await requests()).toBe(11);
  });

  it("LIMIT31 If maxSteps bounds the steps of a run, the ceiling bounds the requests that continue turns alone", async () => {
    allow({ steps: 4 });
    const { thread, requests } = await paused("paused", { side: { maxSteps: 9 } });
    expect((await thread.say("Search.")).at(-1)).toMatchObject({ status: "completed" });
    expect(await requests()).toBe(5);
  });

  it("LIMIT31 The requests that continued a turn count toward the ceiling after a crash in a later call of the turn", async () => {
    allow({ steps: 6 });
    const [reached, never] = [latch(), latch()];
    let calls = 0;
    const get_weather = defineTool("Weather of a city", z.object({ city: z.string() }), async () => {
      calls += 1;
      if (calls === 1) {
        reached.open();
        await never.passed;
      }
      return { status: "success", result: "sunny" };
    });
    const { thread, requests } = await paused("paused|paused|tool-call|paused", { tools: { get_weather } });
    await value(stubOf(thread.id).call("postMessage", admin, message("go"), null));
    await reached.opened();
    await crash(thread.id);
    const following = await follow(thread.id, { after: "0" });
    await following.until(isEnd);
    following.close();
    // The first step with two continuations, and the second step with two.
    expect(await requests()).toBe(6);
  });

  it("LIMIT31 Parallel sub-prompts whose turns pause without end exceed their run's limit of tokens by at most one request", async () => {
    allow({ tokens: 12_000 });
    const sub = wireModel("anthropic", { model: "case:paused", ...prices });
    const calls = Array.from({ length: 8 }, () => ({ name: "searcher", arguments: { task: "search" } }));
    const { thread } = await start({
      // The run ends at its limit alone: a turn that is not continued, because others leave too little, ends before the limit is reached.
      script: () => ({ toolCalls: calls }),
      prompt: { tools: ["searcher"], parallelToolCalls: true },
      models: [{ name: "searching", ...sub.definition } as AnyModelDefinition],
      prompts: [definePrompt({ name: "searcher", toolDescription: "Searches", prompt: "Search.", model: "searching" })],
    });
    const events = await thread.say("go");
    const { usage } = await lastRunOf(thread.id);
    expect(events.at(-1)).toMatchObject({ status: "limit", reason: "max_tokens" });
    expect(usage.total_tokens).toBeGreaterThanOrEqual(12_000);
    expect(usage.total_tokens).toBeLessThan(13_100);
    expect((await sub.sent()).length).toBeLessThanOrEqual(13);
  });
});

describe("a paused turn of a tool's model", () => {
  const searching = (mark: string) =>
    defineTool("Searches", z.object({ city: z.string() }), async (state, _args) => {
      const { maxTokens: max_tokens, ...known } = prices;
      const config = { apiKey: "key", baseUrl: `${inject("modelServer")}/v1`, headers: { "x-server-id": mark } };
      const model = anthropic("case:paused", known);
      const turn = await llm({ model, config, in: state, params: { max_tokens } }).generate("Search.");
      return { status: "success", result: turn.response.text };
    });

  it.each([
    ["LIMIT_RUN_TOKENS=3000", { tokens: 3000 }, 3],
    ["STEP_CEILING=5", { steps: 5 }, 4],
  ])(
    "LIMIT31 Under %s a turn that a tool requests with { in: state } is continued until the limit is reached",
    async (_name, run, most) => {
      allow(run);
      const mark = crypto.randomUUID();
      const { thread } = await start({
        script: ({ step }) =>
          step === 0
            ? { toolCalls: [{ name: "get_weather", arguments: { city: "Rome" } }], usage: { input: 1, output: 1 } }
            : { text: "done" },
        tools: { get_weather: searching(mark) },
      });
      const events = await thread.say("go");
      expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit" });
      const sent = await (await fetch(`${inject("modelServer")}/__requests?id=${mark}`)).json<unknown[]>();
      expect(sent).toHaveLength(most);
      const rows = await rowsOf(thread.id);
      const continued = rows.map(({ data }) => (data as { continuations?: number }).continuations);
      expect(continued.filter((count) => count !== undefined)).toEqual([most - 1]);
    },
  );
});
