// Summaries of compacted conversations in runs with limits: a summary reserves its share of the budget before it is requested.

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";

import { summaries, summaryRequests, windowedRequests, windowedScripts } from "../worker/compacted.ts";
import { allow, resetLimits } from "../worker/limited.ts";
import { lastRunOf } from "./team-driver.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, types, value } from "./thread-driver.ts";
import { clearWindowed, tokensOf, words } from "./windowed-requests.ts";

/** The usage of a summary that is much larger than what is reserved for it: 75,230 tokens, 0.07523 USD. */
const large = { input: 75_000, output: 230 };

const { next } = summaries;

beforeEach(() => {
  clearWindowed();
  resetLimits();
  summaryRequests.length = 0;
  summaries.next = () => ({ text: `Summary ${summaryRequests.length}.`, usage: large });
});

afterEach(() => {
  summaries.next = next;
  resetLimits();
});

/** A thread whose next message needs a compaction. */
async function nearlyFull(agent = "summarized"): Promise<string> {
  const id = await newThread(agent, {
    initial_messages: Array.from({ length: 12 }, (_, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: words(at, 300),
    })),
  });
  windowedRequests.length = 0;
  return id;
}

const compactionOf = (events: readonly ThreadEvent[]) => events.find((event) => event.type === "compaction_end");

const requestLogs = async (id: string) =>
  (await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc", type: "llm_request" }))).items;

const warning = expect.stringContaining("compacted without a summary, because the remaining budget is too small");

describe("a limit that has no room for a summary and the step's request", () => {
  it.each([
    ["LIMIT_RUN_TOKENS=4000", { tokens: 4000 }, {}],
    ["LIMIT_RUN_COST=0.01", { cost: 0.01 }, {}],
    ["LIMIT_THREAD_COST=0.01", {}, { cost: 0.01 }],
    ["LIMIT_THREAD_TOKENS=4000", {}, { tokens: 4000 }],
  ])(
    "LIMIT29 Under %s no summary is requested: the conversation is compacted without a model, the log row of the step has a warning, and the run completes",
    async (_name, run, thread) => {
      allow(run, thread);
      const id = await nearlyFull();
      const events = await converse(id, words(20, 300));
      expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
      expect(summaryRequests).toHaveLength(0);
      expect(compactionOf(events)).toMatchObject({ level: expect.not.stringMatching("summary") });
      expect(windowedRequests.map(tokensOf).every((tokens) => tokens < 3200 * 1.05)).toBe(true);
      const [row, ...others] = await requestLogs(id);
      expect(others).toEqual([]);
      expect(row?.data["warnings"]).toEqual([warning]);
      expect((await lastRunOf(id)).usage.total_tokens).toBeLessThan(4000);
    },
  );

  it("LIMIT29 After a model refused a request as too large, a limit without room for a summary leads to a smaller request without one", async () => {
    allow({ cost: 0.01 });
    const id = await newThread("summarized_wide");
    for (let turn = 0; turn < 8; turn += 1) await converse(id, words(turn, 200));
    windowedScripts.set("big", (request) =>
      tokensOf(request) > 2000 ? { error: { kind: "overflow", message: "too long" } } : { text: "Fits." },
    );
    const events = await converse(id, "big question");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    expect(types(events)).toContain("compaction_end");
    expect(summaryRequests).toHaveLength(0);
    expect((await requestLogs(id)).at(-1)?.data["warnings"]).toEqual([warning]);
  });
});

describe("a summary that uses more than its share", () => {
  it.each([
    ["max_tokens", { tokens: 40_000 }, {}],
    ["max_cost", { cost: 0.04 }, {}],
    ["thread_tokens", {}, { tokens: 40_000 }],
    ["thread_cost", {}, { cost: 0.04 }],
  ])(
    "LIMIT29 The run ends with the reason %s before the step's request, and a later run sends the summary",
    async (reason, run, thread) => {
      allow(run, thread);
      const id = await nearlyFull();
      const events = await converse(id, words(20, 300));
      expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason });
      expect(summaryRequests).toHaveLength(1);
      expect(windowedRequests).toHaveLength(0);
      expect((await lastRunOf(id)).usage.total_tokens).toBe(75_230);
      const again = await follow(id, { after: "0", until: "idle" });
      await again.closed;
      expect(types(again.events).filter((type) => type.startsWith("compaction"))).toEqual(
        types(events).filter((type) => type.startsWith("compaction")),
      );
      allow({}, {});
      await crash(id);
      expect((await converse(id, words(21))).at(-1)).toMatchObject({ status: "completed" });
      expect(summaryRequests).toHaveLength(1);
      expect(windowedRequests.at(-1)?.messages.some(({ content }) => content.endsWith("\nSummary 1."))).toBe(true);
    },
  );

  it("LIMIT29 A smaller request after an overflow is not sent if its summary used up the limit", async () => {
    allow({ tokens: 60_000 });
    const id = await newThread("summarized_wide");
    for (let turn = 0; turn < 8; turn += 1) await converse(id, words(turn, 200));
    windowedRequests.length = 0;
    windowedScripts.set("big", () => ({ error: { kind: "overflow", message: "too long" } }));
    const events = await converse(id, "big question");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason: "max_tokens" });
    expect(summaryRequests).toHaveLength(1);
    expect(windowedRequests).toHaveLength(1);
    expect((await lastRunOf(id)).usage.total_tokens).toBe(75_230);
  });

  it("LIMIT29 A run that waits at the limit that its summary used up continues with that summary when the limit is raised", async () => {
    const id = await nearlyFull();
    const { after } = await value(
      stubOf(id).call(
        "postMessage",
        admin,
        message(words(20, 300), { limits: { tokens: 40_000, on_limit: "rest" } }),
        null,
      ),
    );
    const following = await follow(id, { after: String(after) });
    await following.until(({ type }) => type === "awaiting_tool_execution");
    expect(windowedRequests).toHaveLength(0);
    await value(stubOf(id).call("postRun", admin, { kind: "continue", limits: { tokens: 200_000 } }, null));
    const end = await following.until(({ type }) => type === "run_end");
    following.close();
    expect(end).toMatchObject({ status: "completed" });
    expect(summaryRequests).toHaveLength(1);
    expect(windowedRequests).toHaveLength(1);
  });
});

it("LIMIT29 After a crash between the reservation and the answer of a summary, the summary is requested again within the same limits", async () => {
  allow({ tokens: 40_000 });
  summaries.next = () =>
    summaryRequests.length === 1
      ? { text: "Lost.", delayMs: 3_600_000 }
      : { text: "Short.", usage: { input: 900, output: 100 } };
  const id = await nearlyFull();
  const { after } = await value(stubOf(id).call("postMessage", admin, message(words(20, 300)), null));
  const following = await follow(id, { after: String(after) });
  await following.until(({ type }) => type === "compaction_start");
  await crash(id);
  await following.closed;
  const later = await follow(id, { after: String(after) });
  expect(await later.until(({ type }) => type === "run_end")).toMatchObject({ status: "completed" });
  later.close();
  expect(compactionOf(later.events)).toMatchObject({ level: "summary" });
  expect((await requestLogs(id)).map(({ data }) => data["purpose"])).toEqual(["summary", undefined]);
});

describe("parallel sub-prompts that summarize", () => {
  const callCount = 12;
  const usage = { input: 500, output: 40 };

  it.each([
    ["tokens", { tokens: 60_000 }, 60_000],
    ["cost", { cost: 0.03 }, 0.03],
  ])("LIMIT29 Parallel sub-prompts and their summaries keep to a limit of %s together", async (amount, run, most) => {
    allow(run);
    const task = (at: number) => ({ name: "summarized_call", arguments: { task: `read ${at}` } });
    windowedScripts.set("fan", ({ step }) =>
      step === 0
        ? { toolCalls: Array.from({ length: callCount }, (_, at) => task(at)), usage }
        : { text: "Read.", usage },
    );
    // Each sub-prompt reads lines until its conversation is compacted.
    windowedScripts.set("*", ({ messages }) =>
      messages.some(({ content }) => /earlier messages? w|Read so far/.test(content))
        ? { text: "Read.", usage }
        : { text: "On.", toolCalls: [{ name: "lines", arguments: { count: 90 } }], usage },
    );
    summaries.next = () => ({ text: "Read so far.", usage: { input: 4000, output: 1000 } });
    const id = await newThread("summarized_calls");
    await converse(id, "fan out");
    const spent = await lastRunOf(id);
    const used = amount === "cost" ? (spent.cost ?? spentOn(await requestLogs(id))) : spent.usage.total_tokens;
    expect(summaryRequests.length).toBeGreaterThan(1);
    expect(summaryRequests.length).toBeLessThan(callCount);
    // The last request of a step is sent while the limit is not reached.
    expect(used).toBeLessThan(amount === "cost" ? most * 1.001 : most + usage.input + usage.output);
  });
});

/** The known costs of the requests. */
function spentOn(logs: readonly { data: Record<string, unknown> }[]): number {
  return logs.reduce((sum, { data }) => sum + Number(data["cost"] ?? 0), 0);
}
