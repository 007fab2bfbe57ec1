// Limits of a run and of a thread: their sources, and how a run ends at one.

import { beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import type { Limits } from "#contract/run.ts";
import type { TestTurn } from "#spec/index.ts";

import { allow, capped, duel, resetLimits, limit } from "../worker/limited.ts";
import { toolEffects, requested, scriptedAnswers } from "../worker/team.ts";
import { childOf, latch, resetAgents, lastRunOf, messagesOf } from "./team-driver.ts";
import { admin, converse, follow, message, newThread, stubOf, types, value } from "./thread-driver.ts";

beforeEach(() => {
  resetAgents();
  resetLimits();
});

/** A hundred tokens, 0.00014 USD. */
const usage = { input: 60, output: 40 };
const acting: TestTurn = { toolCalls: [{ name: "act", arguments: { key: "none" } }], usage };

/** A model that calls its tool repeatedly. */
function endless(...names: string[]): void {
  for (const name of names) scriptedAnswers.set(name, () => acting);
}

/** Two models that answer each other without end. */
function talkative(): void {
  for (const name of ["pro", "con"]) scriptedAnswers.set(name, ({ step }) => ({ text: `word ${step}`, usage }));
}

/** The first child that a run made. */
const childIn = (events: readonly ThreadEvent[]) =>
  events.flatMap((event) => (event.type === "subagent_start" ? [childOf(event)] : []))[0] ?? "";

const endOf = (events: readonly ThreadEvent[]) => events.at(-1);
const stepsOf = (events: readonly ThreadEvent[]) => types(events).filter((type) => type === "step_end").length;

describe("a run that reaches a limit", () => {
  it.each<[string, Limits]>([
    ["max_tokens", { tokens: 300 }],
    ["max_cost", { cost: 0.001 }],
  ])("A run at a limit ends with the reason %s also if the provider reports no tokens", async (reason, limits) => {
    const uncounted: TestTurn = { ...acting, text: "word ".repeat(60), usage: { input: 0, output: 0 } };
    scriptedAnswers.set("boss", () => uncounted);
    const events = await converse(await newThread("capped"), "go", { limits: { ...limits, steps: 40 } });
    expect(endOf(events)).toMatchObject({ type: "run_end", status: "limit", reason });
    expect(stepsOf(events)).toBeLessThan(10);
  });

  it.each<[string, Limits, number]>([
    ["max_steps", { steps: 3 }, 3],
    ["max_tokens", { tokens: 300 }, 3],
    ["max_tokens", { tokens: 201 }, 3],
    ["max_cost", { cost: 0.00028 }, 2],
    ["max_steps", { steps: 2, tokens: 200, cost: 0.00028 }, 2],
  ])(
    "LIMIT1 A run that has reached a limit ends with the reason %s before its next request: %o",
    async (reason, limits, steps) => {
      endless("boss");
      const id = await newThread("capped");
      const events = await converse(id, "go", { limits });
      expect(endOf(events)).toMatchObject({ type: "run_end", status: "limit", reason, error: null });
      expect(stepsOf(events)).toBe(steps);
      expect(requested).toHaveLength(steps);
      const said = await messagesOf(id);
      expect(said.map(({ role }) => role)).toEqual(["user", ...Array(steps).fill(["assistant", "tool"]).flat()]);
      expect(said.filter(({ role }) => role === "tool").every(({ result }) => result?.status === "success")).toBe(true);
      expect(await lastRunOf(id)).toMatchObject({ status: "limit", reason, usage: { total_tokens: steps * 100 } });
      expect(await value(stubOf(id).call("describe", admin))).toMatchObject({
        status: "idle",
        usage: { total_tokens: steps * 100 },
      });
    },
  );

  it("LIMIT1 A run ends at its limit of turns, which counts those of both sides", async () => {
    talkative();
    const id = await newThread("duel");
    const events = await converse(id, "go", { limits: { turns: 3 } });
    expect(endOf(events)).toMatchObject({ status: "limit", reason: "max_turns" });
    const turns = events.flatMap((event) => (event.type === "turn_end" ? [event.side] : []));
    expect(turns).toEqual(["a", "b", "a"]);
  });

  it("LIMIT1 A run that ends at a limit emits turn_end for its active turn", async () => {
    endless("pro");
    const id = await newThread("duel");
    const events = await converse(id, "go", { limits: { tokens: 200 } });
    const turns = events.flatMap((event) => (event.type === "turn_end" ? [[event.side, event.reason]] : []));
    expect(turns).toEqual([["a", "max_tokens"]]);
  });

  it("LIMIT2 A run finishes a request during which it reaches a limit, and counts the usage beyond the limit", async () => {
    scriptedAnswers.set("boss", () => ({ ...acting, text: "a long word", usage: { input: 1000, output: 4000 } }));
    const id = await newThread("capped");
    const events = await converse(id, "go", { limits: { tokens: 10 } });
    expect(endOf(events)).toMatchObject({ status: "limit", reason: "max_tokens", usage: { total_tokens: 5000 } });
    expect((await messagesOf(id))[1]).toMatchObject({ content: "a long word", stop_reason: "tool_calls" });
  });

  it("LIMIT2 A run counts the usage of a failed attempt, and makes no further attempt when it has reached a limit", async () => {
    const cut = { text: "half an ", error: { kind: "network" as const, message: "cut" } };
    scriptedAnswers.set("boss", () => (requested.length < 3 ? cut : { text: "done", usage }));
    const id = await newThread("capped");
    const events = await converse(id, "go", { limits: { tokens: 1 } });
    expect(requested).toHaveLength(1);
    expect(endOf(events)).toMatchObject({ status: "limit", reason: "max_tokens", error: null });
    expect((await messagesOf(id)).map(({ role }) => role)).toEqual(["user"]);
    expect((await lastRunOf(id)).usage.total_tokens).toBeGreaterThan(0);
  });

  it("LIMIT3 A run ends as completed if the step that reaches the limit would end the run anyway", async () => {
    scriptedAnswers.set("boss", () => ({ text: "done", usage }));
    const id = await newThread("capped");
    const limits = { steps: 1, turns: 1, tokens: 100, cost: 0.00014 };
    expect(endOf(await converse(id, "go", { limits }))).toMatchObject({ status: "completed", reason: "response" });
  });

  it("LIMIT4 A run is not bounded by a cost that is unknown", async () => {
    scriptedAnswers.set("miser", ({ step }) => (step < 4 ? acting : { text: "done" }));
    const id = await newThread("miser");
    const events = await converse(id, "go", { limits: { cost: 0.000001 } });
    expect(endOf(events)).toMatchObject({ status: "completed", cost: null });
    expect(stepsOf(events)).toBe(5);
  });

  it("LIMIT4 A run and its thread are bounded by the known part of the cost, also next to models without a price", async () => {
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "miser", arguments: { task: "ask" } }], usage } : acting,
    );
    scriptedAnswers.set("miser", () => ({ text: "mine", usage }));
    const id = await newThread("capped");
    capped.threadLimits = { cost: 0.0007 };
    const ends = [];
    for (const text of ["one", "two"]) ends.push(endOf(await converse(id, text, { limits: { cost: 0.00042 } })));
    expect(ends).toMatchObject([
      { status: "limit", reason: "max_cost", cost: null },
      { status: "limit", reason: "thread_cost" },
    ]);
    expect(requested.map(({ persona }) => persona)).toEqual(["boss", "miser", "boss", "boss", "boss", "miser", "boss"]);
  });

  it("LIMIT5 A run that ended at a limit leaves the thread idle, and a continue begins a run with its own limits", async () => {
    endless("boss");
    const id = await newThread("capped");
    await converse(id, "go", { limits: { steps: 2 } });
    const { run } = await value(stubOf(id).call("postRun", admin, { kind: "continue", limits: { steps: 1 } }, null));
    await expect.poll(async () => (await lastRunOf(id)).status).toBe("limit");
    expect(await lastRunOf(id)).toMatchObject({ id: run?.id, steps: 1, reason: "max_steps" });
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ status: "idle", active_run_id: null });
  });

  it("LIMIT5 A message that waits while a run reaches its limit begins the next run, which has limits of its own", async () => {
    const { passed, open } = latch();
    scriptedAnswers.set("boss", async ({ lastUser, step }) => {
      await passed;
      return lastUser === "go" || step < 3 ? acting : { text: "done", usage };
    });
    const id = await newThread("capped");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go", { limits: { steps: 2 } }), null));
    const next = await value(stubOf(id).call("postMessage", admin, message("next"), null));
    open();
    await following.until((event) => event.type === "run_end" && event.run_id === next.run?.id);
    following.close();
    expect(following.events.filter(({ type }) => type === "run_end")).toMatchObject([
      { status: "limit", reason: "max_steps" },
      { status: "completed", run_id: next.run?.id },
    ]);
    expect(stepsOf(following.events)).toBe(2 + 4);
  });

  it("A run that ends at a limit drops its queued calls, so that they begin no new run", async () => {
    toolEffects.set("again", (state) => {
      state.queueTool("act", { key: "again" });
    });
    scriptedAnswers.set("boss", () => ({ toolCalls: [{ name: "act", arguments: { key: "again" } }], usage }));
    const id = await newThread("capped");
    expect(endOf(await converse(id, "go", { limits: { steps: 3 } }))).toMatchObject({ reason: "max_steps" });
    const { items } = await value(stubOf(id).call("listRuns", admin, { limit: 10, order: "asc" }));
    expect(items).toHaveLength(1);
  });
});

describe("sources of limits", () => {
  const reached = async (limits?: Limits) => {
    endless("boss");
    const id = await newThread("capped");
    const events = await converse(id, "go", limits === undefined ? {} : { limits });
    return [stepsOf(events), endOf(events)?.type === "run_end" ? (await lastRunOf(id)).reason : null];
  };

  it("LIMIT7 The strictest limit of agent, request and deployment applies", async () => {
    allow({ tokens: 500 });
    expect(await reached()).toEqual([5, "max_tokens"]);
    expect(await reached({ tokens: 400 })).toEqual([4, "max_tokens"]);
    limit(capped, { tokens: 300, steps: 10 });
    expect(await reached({ tokens: 400 })).toEqual([3, "max_tokens"]);
    expect(await reached({ tokens: 200 })).toEqual([2, "max_tokens"]);
    limit(capped, { tokens: 600, steps: 10 });
    expect(await reached()).toEqual([5, "max_tokens"]);
    limit(capped, { steps: 2 });
    expect(await reached({ steps: 4 })).toEqual([2, "max_steps"]);
  });

  it("LIMIT7 A side's limit replaces its agent's while that side answers", async () => {
    limit(capped, { tokens: 200 });
    limit(capped.sideA, { tokens: null, steps: 4 });
    expect(await reached()).toEqual([4, "max_steps"]);
    talkative();
    limit(duel.sideB, { tokens: 300 });
    const id = await newThread("duel");
    const events = await converse(id, "go");
    expect(endOf(events)).toMatchObject({ reason: "max_tokens" });
    expect(events.flatMap((event) => (event.type === "turn_end" ? [event.side] : []))).toEqual(["a", "b", "a"]);
  });

  it("LIMIT8 A user may request less than the deployment allows, and an administrator more, or no limit", async () => {
    const all = { turns: 4, tokens: 300, duration_ms: 60_000, cost: 1 };
    allow(all);
    endless("boss");
    const id = await newThread("capped", { user_id: "ada" });
    const ada = { user: "ada", admin: false };
    for (const [name, bound] of Object.entries(all)) {
      for (const limit of [null, bound * 2]) {
        const limits = { [name]: limit };
        const refused = await stubOf(id).call("postMessage", ada, message("more", { limits }), null);
        const field = `limits.${name}`;
        expect(refused).toMatchObject({ ok: false, refusal: { code: "forbidden", details: { field, limit: bound } } });
        expect(await stubOf(id).call("postRun", ada, { kind: "continue", limits }, null)).toMatchObject({ ok: false });
      }
    }
    expect(await stubOf(id).call("postMessage", ada, message("as much", { limits: all }), null)).toMatchObject({
      ok: true,
    });
    await expect.poll(async () => (await lastRunOf(id)).status).toBe("limit");
    expect(await lastRunOf(id)).toMatchObject({ steps: 3, reason: "max_tokens" });
    expect(await reached({ tokens: 500 })).toEqual([5, "max_tokens"]);
    expect(await reached({ tokens: null, steps: 6 })).toEqual([6, "max_steps"]);
  });
});

describe("a thread's limits", () => {
  it.each<[string, object, object]>([
    ["thread_tokens", { tokens: 400 }, {}],
    ["thread_tokens", {}, { tokens: 400 }],
    ["thread_cost", { cost: 0.00056 }, { cost: 1 }],
    ["thread_steps", { steps: 10 }, { steps: 4 }],
    ["thread_turns", {}, { turns: 2 }],
  ])(
    "LIMIT9 A thread's limits apply to all its runs together, with the reason %s: agent %o, deployment %o",
    async (reason, own, whole) => {
      capped.threadLimits = own;
      allow({}, whole);
      scriptedAnswers.set("boss", ({ step }) => (step === 0 ? acting : { text: "done", usage }));
      const id = await newThread("capped");
      for (const text of ["one", "two"]) expect(endOf(await converse(id, text))).toMatchObject({ status: "completed" });
      const events = await converse(id, "three");
      expect(endOf(events)).toMatchObject({ status: "limit", reason, usage: { total_tokens: 0 } });
      expect(types(events)).not.toContain("step_start");
      expect(requested).toHaveLength(4);
      expect((await messagesOf(id)).at(-1)).toMatchObject({ role: "user", content: "three" });
    },
  );

  it("LIMIT9 A thread's limits apply in the middle of a run, and a higher limit that an administrator requests for the run does not lift them", async () => {
    capped.threadLimits = { tokens: 500 };
    scriptedAnswers.set("boss", ({ step }) => (step < 3 ? acting : { text: "done", usage }));
    const id = await newThread("capped");
    expect(endOf(await converse(id, "one"))).toMatchObject({ status: "completed" });
    const events = await converse(id, "two", { limits: { tokens: null } });
    expect(endOf(events)).toMatchObject({ status: "limit", reason: "thread_tokens" });
    expect(stepsOf(events)).toBe(1);
  });
});

describe("usage of a sub-prompt", () => {
  it("LIMIT10 The usage of a sub-prompt counts against its run, and at the limit the sub-prompt gets an error and the run ends", async () => {
    scriptedAnswers.set("boss", () => ({ toolCalls: [{ name: "helper", arguments: { task: "help" } }], usage }));
    endless("helper");
    const id = await newThread("capped");
    const events = await converse(id, "go", { limits: { tokens: 400 } });
    expect(endOf(events)).toMatchObject({ status: "limit", reason: "max_tokens", usage: { total_tokens: 400 } });
    const call = (await messagesOf(id)).find(({ role, depth }) => role === "tool" && depth === 0);
    expect(call?.result).toMatchObject({ status: "error" });
    expect(call?.result?.error).toContain("The run came to a limit before it was done.");
  });

  it("LIMIT10 The steps of a sub-prompt count against the limit of its run", async () => {
    scriptedAnswers.set("boss", () => ({ toolCalls: [{ name: "helper", arguments: { task: "help" } }], usage }));
    scriptedAnswers.set("helper", ({ step }) => (step === 0 ? acting : { text: "helped", usage }));
    const id = await newThread("capped");
    expect(endOf(await converse(id, "go", { limits: { steps: 6 } }))).toMatchObject({ reason: "max_steps" });
    expect(requested.map(({ persona }) => persona)).toEqual(["boss", "helper", "helper", "boss", "helper", "helper"]);
    const calls = (await messagesOf(id)).filter(({ role, depth }) => role === "tool" && depth === 0);
    expect(calls.map(({ result }) => result?.status)).toEqual(["success", "success"]);
  });

  it("LIMIT10 A sub-prompt ends with an error when its run reaches its limit of steps", async () => {
    scriptedAnswers.set("boss", () => ({ toolCalls: [{ name: "helper", arguments: { task: "help" } }], usage }));
    endless("helper");
    const id = await newThread("capped");
    expect(endOf(await converse(id, "go", { limits: { steps: 3 } }))).toMatchObject({ reason: "max_steps" });
    const call = (await messagesOf(id)).find(({ role, depth }) => role === "tool" && depth === 0);
    expect(call?.result).toMatchObject({ status: "error" });
  });
});

describe("usage of a child thread", () => {
  const duelling = (n = 1): TestTurn => ({
    toolCalls: Array.from({ length: n }, () => ({ name: "duel", arguments: { task: "talk" } })),
    usage,
  });

  it("LIMIT11 A child thread uses at most the remaining budget of its parent's run, and its usage counts against that run", async () => {
    talkative();
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? duelling() : acting));
    const id = await newThread("capped");
    const events = await converse(id, "go", { limits: { tokens: 550 } });
    const child = childIn(events);
    expect(await lastRunOf(child)).toMatchObject({
      status: "limit",
      reason: "max_tokens",
      usage: { total_tokens: 500 },
    });
    expect(endOf(events)).toMatchObject({ status: "limit", reason: "max_tokens", usage: { total_tokens: 600 } });
    expect(requested.filter(({ persona }) => persona === "boss")).toHaveLength(1);
  });

  it.each<[Limits, string, string]>([
    [{ steps: 5 }, "max_steps", "max_steps"],
    [{ turns: 4 }, "max_turns", "max_turns"],
    [{ cost: 0.0007 }, "max_cost", "max_cost"],
  ])("LIMIT11 A child thread uses at most what its parent's run has left: %o", async (limits, inside, reason) => {
    talkative();
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? duelling() : acting));
    const id = await newThread("capped");
    const events = await converse(id, "go", { limits });
    const child = childIn(events);
    expect(await lastRunOf(child)).toMatchObject({ status: "limit", reason: inside, usage: { total_tokens: 400 } });
    expect(endOf(events)).toMatchObject({ status: "limit", reason, usage: { total_tokens: 500 } });
  });

  it("LIMIT11 A child thread is also bounded by what remains of the limits of its parent thread", async () => {
    talkative();
    capped.threadLimits = { steps: 6 };
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? duelling() : acting));
    const id = await newThread("capped");
    const events = await converse(id, "go");
    const child = childIn(events);
    expect(await lastRunOf(child)).toMatchObject({ status: "limit", reason: "max_steps", steps: 5 });
    expect(endOf(events)).toMatchObject({ status: "limit", reason: "thread_steps" });
    expect(endOf(await converse(id, "more"))).toMatchObject({ reason: "thread_steps", usage: { total_tokens: 0 } });
  });

  it("LIMIT12 Parallel calls share the remaining budget, calls of sub-prompts included", async () => {
    talkative();
    endless("helper");
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0
        ? {
            ...duelling(2),
            toolCalls: [...(duelling(2).toolCalls ?? []), { name: "helper", arguments: { task: "t" } }],
          }
        : { text: "done" },
    );
    const id = await newThread("capped");
    const events = await converse(id, "go", { limits: { tokens: 1000 } });
    const children = events
      .flatMap((event) => (event.type === "subagent_start" ? [childOf(event)] : []))
      .filter(Boolean);
    expect(children).toHaveLength(2);
    for (const child of children) {
      expect(await lastRunOf(child)).toMatchObject({ reason: "max_tokens", usage: { total_tokens: 300 } });
    }
    const run = await lastRunOf(id);
    expect(run.usage.total_tokens).toBe(1000);
    expect(run).toMatchObject({ status: "limit", reason: "max_tokens" });
  });

  it("LIMIT13 A call of an agent gets an error and makes no child thread if too little of the budget remains", async () => {
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? duelling(2) : { text: "done" }));
    const id = await newThread("capped");
    const events = await converse(id, "go", { limits: { steps: 2 } });
    const calls = (await messagesOf(id)).filter(({ role }) => role === "tool");
    expect(calls.map(({ result }) => result?.error)).toEqual(
      Array(2).fill("The run's limits leave too little for another agent. Answer without calling one."),
    );
    for (const event of events) {
      if (event.type !== "subagent_start") continue;
      expect(await stubOf(childOf(event)).call("describe", admin)).toMatchObject({ ok: false });
    }
    expect(endOf(events)).toMatchObject({ status: "completed" });
  });
});
