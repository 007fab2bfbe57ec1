// A run's limit of time: it interrupts active work, and counts only active time.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import type { PostMessage } from "#contract/message-route.ts";

import { forgetTimers, ring, skip, waits } from "../worker/clock.ts";
import { planFaults } from "../worker/fault-plan.ts";
import { allow, capped, resetLimits, limit } from "../worker/limited.ts";
import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import {
  childOf,
  latch,
  resetAgents,
  waitFor,
  isEnd,
  lastRunOf,
  messagesOf,
  whenSuspended,
  wake,
} from "./team-driver.ts";
import { admin, converse, crash, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";
import type { Following } from "./thread-driver.ts";

beforeEach(() => {
  resetAgents();
  resetLimits();
});

const limits = { duration_ms: 40_000 };
const cutShort = { type: "run_end", status: "limit", reason: "max_duration" };
const act = (key: string) => ({ toolCalls: [{ name: "act", arguments: { key } }] });

/** An answer that takes too long. */
const long = { text: Array.from({ length: 20_000 }, (_, word) => `w${word} `), delayMs: 1 };

async function begun(extra: Partial<PostMessage> = { limits }): Promise<{ id: string; following: Following }> {
  const id = await newThread("capped");
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message("go", extra), null));
  return { id, following };
}

/** Puts the clock forward by `ms` milliseconds, and fires the timers whose wait is at most that and at most ten seconds shorter. */
async function passes(id: string, ms: number): Promise<void> {
  const above = ms - 10_000;
  await waitFor(() => waits(id, { above, upTo: ms }).length > 0);
  await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), () => {
    const due = waits(id, { above, upTo: ms });
    skip(ms);
    for (const timer of due) ring(id, timer);
  });
}

describe("a run whose time is over", () => {
  it("LIMIT14 A run keeps the text of its model so far when its time is over, and the queue continues", async () => {
    scriptedAnswers.set("boss", ({ lastUser }) => (lastUser === "go" ? long : { text: "next done" }));
    const { id, following } = await begun();
    const next = await value(stubOf(id).call("postMessage", admin, message("next"), null));
    await following.until(({ type }) => type === "text_delta");
    await passes(id, 40_000);
    expect(await following.until(isEnd)).toMatchObject({ ...cutShort, error: null });
    await following.until((event) => isEnd(event) && event.run_id === next.run?.id);
    following.close();
    const [, partial, , answer] = await messagesOf(id);
    expect(partial).toMatchObject({ role: "assistant", stop_reason: "aborted" });
    expect(partial?.content).toMatch(/^w0 /);
    expect(partial?.usage?.total_tokens).toBeGreaterThan(0);
    expect(answer?.content).toBe("next done");
    expect(following.events.some(({ type }) => type === "message_retracted")).toBe(false);
  });

  it("LIMIT14 A run gives its open calls error results when its time is over", async () => {
    toolEffects.set("hang", () => new Promise(() => {}));
    scriptedAnswers.set("boss", () => ({
      toolCalls: [act("none"), act("hang")].flatMap(({ toolCalls }) => toolCalls),
    }));
    const { id, following } = await begun();
    await following.until(({ type }) => type === "tool_execution_end");
    await passes(id, 40_000);
    expect(await following.until(isEnd)).toMatchObject(cutShort);
    following.close();
    const results = (await messagesOf(id)).filter(({ role }) => role === "tool").map(({ result }) => result?.status);
    expect(results).toEqual(["success", "error"]);
  });

  it("LIMIT14 A run drops its queued calls when its time is over, so that they begin no new run", async () => {
    toolEffects.set("queue and hang", (state) => {
      state.queueTool("act", { key: "none" });
      return new Promise(() => {});
    });
    scriptedAnswers.set("boss", () => act("queue and hang"));
    const { id, following } = await begun();
    await following.until(({ type }) => type === "tool_execution_start");
    await passes(id, 40_000);
    expect(await following.until(isEnd)).toMatchObject(cutShort);
    following.close();
    expect((await value(stubOf(id).call("listRuns", admin, { limit: 10, order: "asc" }))).items).toHaveLength(1);
  });

  it.each(["loop.commit-partial", "answer.after-create"])(
    "LIMIT14 A run whose time is over still ends at its limit, with one answer stored, if a crash follows its partial answer, at %s",
    async (point) => {
      scriptedAnswers.set("boss", () => long);
      const { id, following } = await begun();
      await following.until(({ type }) => type === "text_delta");
      const plan = planFaults(id, [{ point, hit: 1, mode: "kept" }]);
      await passes(id, 40_000).catch(() => undefined);
      following.close();
      await waitFor(() => plan.died === 1);
      await wake(id);
      const again = await follow(id, { after: "0" });
      expect(await again.until(isEnd)).toMatchObject(cutShort);
      again.close();
      expect((await messagesOf(id)).map(({ role }) => role)).toEqual(["user", "assistant"]);
    },
  );

  it("LIMIT14 A run also ends the sub-prompt for which its step waits when its time is over", async () => {
    scriptedAnswers.set("boss", () => ({ toolCalls: [{ name: "helper", arguments: { task: "help" } }] }));
    scriptedAnswers.set("helper", () => long);
    const { id, following } = await begun();
    await following.until((event) => event.type === "text_delta" && event.depth === 1);
    await passes(id, 40_000);
    expect(await following.until(isEnd)).toMatchObject(cutShort);
    following.close();
    const call = (await messagesOf(id)).find(({ role }) => role === "tool");
    expect(call?.result).toMatchObject({ status: "error" });
  });
});

describe("a limit of time at which a run waits", () => {
  it("LIMIT27 A deployment's limit of time interrupts a run whose request sets on_limit to rest if its agent does not set onLimit to rest", async () => {
    allow({ duration_ms: 40_000 });
    scriptedAnswers.set("boss", () => long);
    const { id, following } = await begun({ limits: { on_limit: "rest" } });
    await following.until(({ type }) => type === "text_delta");
    await passes(id, 40_000);
    expect(await following.until(isEnd)).toMatchObject(cutShort);
    following.close();
  });

  it("LIMIT27 A limit of time sets no timer if the agent sets onLimit to rest", async () => {
    allow({ duration_ms: 40_000 });
    limit(capped, { onLimit: "rest" });
    scriptedAnswers.set("boss", () => long);
    const { id, following } = await begun({});
    await following.until(({ type }) => type === "text_delta");
    expect(waits(id, { above: 30_000, upTo: 40_000 })).toEqual([]);
    await value(stubOf(id).call("stop", admin, null));
    await following.until(isEnd);
    following.close();
  });
});

describe("time that a run waits", () => {
  it("LIMIT15 A limit of time does not count the time for which a run waits, and sets no timer for it", async () => {
    let requested = 0;
    const slow = { kind: "rate_limited" as const, message: "slow down", retryAfterMs: 60_000 };
    scriptedAnswers.set("boss", () => ((requested += 1) === 1 ? { error: slow } : { text: "done" }));
    const { id, following } = await begun();
    await following.until(({ type }) => type === "model_retry");
    await evict(id);
    expect(waits(id, { above: 30_000, upTo: 40_000 })).toEqual([]);
    skip(61_000);
    await wake(id);
    expect(await following.until(isEnd)).toMatchObject({ status: "completed" });
    following.close();
  });

  it("LIMIT15 Active time before a wait still counts after the wait", async () => {
    const slow = { kind: "rate_limited" as const, message: "slow down", retryAfterMs: 60_000 };
    let requested = 0;
    scriptedAnswers.set("boss", () => {
      requested += 1;
      // Half a minute passes before the run is suspended.
      if (requested === 1) skip(30_000);
      return requested === 1 ? { error: slow } : long;
    });
    const { id, following } = await begun();
    await following.until(({ type }) => type === "model_retry");
    await evict(id);
    skip(61_000);
    await wake(id);
    await following.until(({ type }) => type === "text_delta");
    await passes(id, 10_000);
    expect(await following.until(isEnd)).toMatchObject(cutShort);
    following.close();
  });
});

describe("a run that a crash interrupted", () => {
  it("LIMIT16 After a crash, a run has the time that remained after its last step", async () => {
    toolEffects.set("slow", () => skip(30_000));
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? act("slow") : long));
    const { id, following } = await begun();
    await following.until((event) => event.type === "text_delta" && event.step === 2);
    following.close();
    await crash(id);
    forgetTimers(id);
    // No loop executes the run meanwhile.
    skip(300_000);
    await wake(id);
    const again = await follow(id, { after: "0" });
    await again.until(({ type }) => type === "text_delta");
    await passes(id, 10_000);
    expect(await again.until(isEnd)).toMatchObject(cutShort);
    again.close();
  });
});

describe("time of other runs", () => {
  it("LIMIT9 The runs of a thread together use at most the thread's time, with the reason thread_duration", async () => {
    capped.threadLimits = { durationMs: 40_000 };
    toolEffects.set("slow", () => skip(25_000));
    scriptedAnswers.set("boss", ({ lastUser, step }) => (step % 2 === 0 ? act("slow") : { text: lastUser }));
    const id = await newThread("capped");
    expect((await converse(id, "one")).at(-1)).toMatchObject({ status: "completed" });
    expect((await converse(id, "two")).at(-1)).toMatchObject({ status: "limit", reason: "thread_duration" });
  });

  it("LIMIT11 A child thread has the remaining time of its parent's run, and the time that it uses counts against that run", async () => {
    const gate = latch();
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "duel", arguments: { task: "talk" } }] } : { text: "done" },
    );
    scriptedAnswers.set("pro", async () => {
      await gate.passed;
      skip(25_000);
      return { text: "pro" };
    });
    scriptedAnswers.set("con", () => {
      skip(25_000);
      return { text: "con" };
    });
    const { id, following } = await begun();
    const child = childOf(await following.until(({ type }) => type === "subagent_start"));
    await whenSuspended(id);
    gate.open();
    expect(await following.until(isEnd)).toMatchObject(cutShort);
    following.close();
    expect(await lastRunOf(child)).toMatchObject({ status: "limit", reason: "max_duration", steps: 2 });
    expect(await lastRunOf(id)).toMatchObject({ steps: 1 });
  });
});
