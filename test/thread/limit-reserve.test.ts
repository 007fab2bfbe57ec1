// Concurrent requests divide the remaining budget: each reserves its share before it is sent.

import { beforeEach, describe, expect, it } from "vitest";

import type { Limits } from "#contract/run.ts";
import type { Usage } from "#contract/usage.ts";
import type { Bounds } from "#core/limits/amounts.ts";
import type { TestTurn } from "#spec/index.ts";

import { allow, capped, resetLimits } from "../worker/limited.ts";
import { requested, scriptedAnswers } from "../worker/team.ts";
import { latch, resetAgents, lastRunOf, messagesOf } from "./team-driver.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

/** A hundred tokens, 0.00014 USD. */
const usage = { input: 60, output: 40 };
const many = 60;

beforeEach(() => {
  resetAgents();
  resetLimits();
});

const calls = (name: string, count: number): TestTurn => ({
  toolCalls: Array.from({ length: count }, () => ({ name, arguments: { task: "help" } })),
  usage,
});

/** A boss that makes this many parallel calls, and the highest number of requests that were in flight at once. */
function sideBySide(name: "helper" | "measured", count = many) {
  const flight = { now: 0, most: 0 };
  scriptedAnswers.set("boss", ({ step }) => (step === 0 ? calls(name, count) : { text: "done", usage }));
  scriptedAnswers.set(name, async () => {
    flight.now += 1;
    flight.most = Math.max(flight.most, flight.now);
    // An answer takes some time, so that all other allowed requests are sent meanwhile.
    await value(stubOf(bystander).call("describe", admin));
    flight.now -= 1;
    return { text: "helped", usage: name === "helper" ? usage : { input: 10, output: 40 } };
  });
  return flight;
}

let bystander = "";
beforeEach(async () => {
  bystander = await newThread("parallel");
});

const requests = () => requested.length;

describe("parallel sub-prompts", () => {
  it.each<[string, Limits, number, "helper" | "measured"]>([
    ["max_tokens", { tokens: 2000 }, 2000, "helper"],
    ["max_tokens", { tokens: 2000 }, 2000, "measured"],
    ["max_cost", { cost: 0.0028 }, 0.0028, "helper"],
    ["max_cost", { cost: 0.0028 }, 0.0028, "measured"],
    ["max_steps", { steps: 5 }, 5, "helper"],
  ])(
    "LIMIT28 Four hundred parallel sub-prompts of one answer keep to their run's limit, and the run ends with the reason %s: %o",
    async (reason, limits, bound, name) => {
      sideBySide(name, 400);
      const id = await newThread("capped");
      const events = await converse(id, "go", { limits });
      expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason });
      const { usage: all, cost } = await lastRunOf(id);
      const used = { max_tokens: all.total_tokens, max_cost: cost ?? 0, max_steps: requests() }[reason] ?? 0;
      const one = { max_tokens: 100, max_cost: 0.00014, max_steps: 1 }[reason] ?? 0;
      expect(used).toBeGreaterThan(bound - bound / 1e9);
      expect(used).toBeLessThan(bound + one);
      const results = (await messagesOf(id)).filter(({ role, depth }) => role === "tool" && depth === 0);
      expect(results.filter(({ result }) => result?.status === "success")).toHaveLength(requests() - 1);
    },
  );

  it.each<[Partial<Bounds>, Partial<Bounds>, string, number]>([
    [{ tokens: 2000 }, {}, "max_tokens", 20],
    [{ cost: 0.0028 }, {}, "max_cost", 20],
    [{ steps: 5 }, {}, "max_steps", 5],
    [{}, { cost: 0.0028 }, "thread_cost", 20],
    [{}, { tokens: 2000 }, "thread_tokens", 20],
  ])(
    "LIMIT28 Parallel sub-prompts keep to the deployment's limits of runs (%o) and threads (%o)",
    async (run, thread, reason, most) => {
      allow(run, thread);
      sideBySide("helper");
      const events = await converse(await newThread("capped"), "go");
      expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason });
      expect(requests()).toBe(most);
    },
  );

  it("LIMIT28 Parallel sub-prompts exceed a limit only by the last request, if it used more than was reserved for it", async () => {
    sideBySide("helper");
    const id = await newThread("capped");
    const events = await converse(id, "go", { limits: { tokens: 1950 } });
    expect(events.at(-1)).toMatchObject({ status: "limit", reason: "max_tokens", usage: { total_tokens: 2000 } });
  });

  it("LIMIT28 Parallel sub-prompts make five requests at once if the budget allows, and one after the other near the limit", async () => {
    const wide = sideBySide("measured", 40);
    await converse(await newThread("capped"), "go", { limits: { tokens: 100_000 } });
    expect(wide.most).toBe(5);
    expect(requests()).toBe(42);
    const narrow = sideBySide("helper", 40);
    await converse(await newThread("capped"), "go", { limits: { tokens: 8000 } });
    expect(narrow.most).toBe(1);
  });

  it("LIMIT28 Parallel sub-prompts keep to a limit also when failed attempts use it up", async () => {
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? calls("helper", many) : { text: "done", usage }));
    scriptedAnswers.set("helper", async () => {
      await value(stubOf(bystander).call("describe", admin));
      return { text: "half", usage, error: { kind: "network", message: "cut" } };
    });
    const id = await newThread("capped");
    const events = await converse(id, "go", { limits: { tokens: 2000, steps: 240 } });
    expect(events.at(-1)).toMatchObject({ status: "limit", reason: "max_tokens" });
    const logs = await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc", type: "llm_request" }));
    const attempts = logs.items.map(({ data }) => (data["usage"] as unknown as Usage).total_tokens);
    const used = attempts.reduce((sum, one) => sum + one, 0);
    expect((await lastRunOf(id)).usage.total_tokens).toBe(used);
    expect(used).toBeGreaterThanOrEqual(2000);
    expect(used).toBeLessThan(2000 + Math.max(...attempts));
  });

  it("LIMIT28 Parallel sub-prompts keep to a limit after a crash while most of them wait for a share of it", async () => {
    const [reached, never] = [latch(), latch()];
    let isCut = false;
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? calls("helper", many) : { text: "done", usage }));
    scriptedAnswers.set("helper", async () => {
      if (requests() > 9 && !isCut) {
        reached.open();
        await never.passed;
      }
      return { text: "helped", usage };
    });
    const id = await newThread("capped");
    await value(stubOf(id).call("postMessage", admin, message("go", { limits: { tokens: 2000 } }), null));
    await reached.opened();
    isCut = true;
    await crash(id);
    const following = await follow(id, { after: "0" });
    const end = await following.until(({ type }) => type === "run_end");
    following.close();
    expect(end).toMatchObject({ status: "limit", reason: "max_tokens", usage: { total_tokens: 2000 } });
  });

  it("LIMIT28 Parallel sub-prompts end when their run is stopped, also those that wait for a share of the limit", async () => {
    const [reached, never] = [latch(), latch()];
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? calls("helper", many) : { text: "done", usage }));
    scriptedAnswers.set("helper", async () => {
      reached.open();
      await never.passed;
      return { text: "helped", usage };
    });
    const id = await newThread("capped");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go", { limits: { tokens: 2000 } }), null));
    await reached.opened();
    await value(stubOf(id).call("stop", admin, null));
    expect(await following.until(({ type }) => type === "run_end")).toMatchObject({ status: "stopped" });
    following.close();
    expect(requests()).toBe(2);
    capped.limits = { tokens: 10_000 };
    sideBySide("helper", 2);
    expect((await converse(id, "again")).at(-1)).toMatchObject({ status: "completed" });
  });
});
