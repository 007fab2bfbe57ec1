// A run with `on_limit: "rest"`: at its limit it is suspended and exists only as stored rows. It continues when the limit is raised.

import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { foldAll } from "#contract/fold.ts";
import type { Limits } from "#contract/run.ts";

import { skip, testClock } from "../worker/clock.ts";
import { allow, resetLimits } from "../worker/limited.ts";
import { toolEffects, requested, scriptedAnswers } from "../worker/team.ts";
import { exported, imported, linesOf } from "./archive-client.ts";
import { acting, boss, goOn, limited, restsOf, usage } from "./limit-driver.ts";
import {
  latch,
  resetAgents,
  waitFor,
  isEnd,
  lastRunOf,
  messagesOf,
  passing,
  whenSuspended,
  wake,
} from "./team-driver.ts";
import { admin, alarmOf, crash, evict, message, stubOf, value } from "./thread-driver.ts";

beforeEach(() => {
  resetAgents();
  resetLimits();
});

describe("a run that waits at a limit", () => {
  it.each<[string, Limits, Limits, number]>([
    ["max_steps", { steps: 2 }, { steps: 4 }, 2],
    ["max_tokens", { tokens: 150 }, { tokens: null }, 200],
    ["max_cost", { cost: 0.0002 }, { cost: 1 }, 0.00028],
  ])(
    "LIMIT22 A run that waits at a limit has a pending call of the kind limit, and continues at its next step when the limit is raised: %s",
    async (reason, given, raise, used) => {
      boss(3);
      const { id, runId, following } = await limited({ ...given, on_limit: "rest" });
      const [amount = "", allowed] = Object.entries(given)[0] ?? [];
      const shown = restsOf(following.events)[0]?.tool_calls ?? [];
      expect(shown).toMatchObject([{ name: "limit", kind: "limit", arguments: { reason, amount, allowed, used } }]);
      const [call] = shown;
      const thread = await value(stubOf(id).call("describe", admin));
      expect(thread).toMatchObject({
        status: "awaiting_tool_execution",
        active_run_id: runId,
        pending_tool_calls: [{ id: call?.id, name: "limit", kind: "limit" }],
      });
      expect(await lastRunOf(id)).toMatchObject({ status: "awaiting_tool_execution" });
      expect((await messagesOf(id)).map(({ role }) => role)).toEqual([
        "user",
        ...Array(2).fill(["assistant", "tool"]).flat(),
      ]);
      const { run } = await value(goOn(id, raise));
      expect(run).toMatchObject({ id: runId, status: "running" });
      expect(await following.until(isEnd)).toMatchObject({ status: "completed", reason: "response", run_id: runId });
      following.close();
      expect(requested).toHaveLength(4);
      expect(following.events.filter(({ type }) => type === "run_start")).toHaveLength(1);
      expect(Object.values(foldAll(following.events).runs)).toMatchObject([{ status: "completed" }]);
      expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ status: "idle", pending_tool_calls: [] });
      expect(await lastRunOf(id)).toMatchObject({ steps: 4, usage: { total_tokens: 400 } });
    },
  );

  it("LIMIT22 A thread whose run waits at a limit has the status awaiting_tool_execution in the catalog", async () => {
    boss(3);
    const { id, following } = await limited({ steps: 1, on_limit: "rest" });
    following.close();
    await waitFor(async () => {
      const status = await env.CATALOG.prepare("SELECT status FROM thread WHERE id = ?")
        .bind(id)
        .first<string>("status");
      return status === "awaiting_tool_execution";
    });
  });

  it("LIMIT22 A run waits again at the raised limit, and at another limit, each time with a new pending call", async () => {
    boss(4);
    const { id, following } = await limited({ steps: 1, tokens: 300, on_limit: "rest" });
    await value(goOn(id, { steps: 2 }));
    await waitFor(() => restsOf(following.events).length === 2);
    await value(goOn(id, { steps: 20 }));
    await waitFor(() => restsOf(following.events).length === 3);
    const calls = restsOf(following.events).flatMap(({ tool_calls }) => tool_calls);
    expect(calls.map(({ arguments: args }) => args)).toMatchObject([
      { reason: "max_steps", used: 1 },
      { reason: "max_steps", used: 2 },
      { reason: "max_tokens", used: 300 },
    ]);
    expect(new Set(calls.map((call) => call.id)).size).toBe(3);
    await value(goOn(id, { tokens: 301, on_limit: "end" }));
    expect(await following.until(isEnd)).toMatchObject({ status: "limit", reason: "max_tokens" });
    following.close();
  });

  it("LIMIT22 A run with two sides that waits at a limit of turns continues with both sides when it is raised", async () => {
    for (const name of ["pro", "con"]) scriptedAnswers.set(name, ({ step }) => ({ text: `word ${step}`, usage }));
    const { id, following } = await limited({ turns: 2, on_limit: "rest" }, "duel");
    await value(goOn(id, { turns: 3, on_limit: "end" }));
    expect(await following.until(isEnd)).toMatchObject({ status: "limit", reason: "max_turns" });
    following.close();
    const turns = following.events.flatMap((event) => (event.type === "turn_end" ? [event.side] : []));
    expect(turns).toEqual(["a", "b", "a"]);
  });

  it("LIMIT22 A run that waits at a limit keeps its queued calls, and makes them when it continues", async () => {
    toolEffects.set("again", (state) => {
      state.queueTool("act", { key: "none" });
    });
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "act", arguments: { key: "again" } }], usage } : { text: "done", usage },
    );
    const { id, following } = await limited({ steps: 1, on_limit: "rest" });
    expect((await messagesOf(id)).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    await value(goOn(id, { steps: 3 }));
    expect(await following.until(isEnd)).toMatchObject({ status: "completed" });
    following.close();
    const roles = (await messagesOf(id)).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "assistant", "tool", "assistant"]);
  });
});

describe("a continue that raises nothing", () => {
  it("LIMIT23 A continue that does not raise the reached limit is refused with the limit and the used amount, and changes nothing", async () => {
    boss(3);
    const { id, following } = await limited({ tokens: 150, on_limit: "rest" });
    for (const limits of [
      undefined,
      {},
      { tokens: 199 },
      { tokens: 200 },
      { steps: 100 },
      { on_limit: "rest" as const },
    ]) {
      expect(await goOn(id, limits)).toMatchObject({
        ok: false,
        refusal: { code: "conflict", details: { field: "limits.tokens", limit: 150, used: 200 } },
      });
    }
    const sided = await stubOf(id).call(
      "postRun",
      admin,
      { kind: "continue", side: "a", limits: { tokens: 900 } },
      null,
    );
    expect(sided).toMatchObject({ ok: false, refusal: { code: "conflict", details: { field: "side" } } });
    expect(await lastRunOf(id)).toMatchObject({ status: "awaiting_tool_execution" });
    expect((await value(stubOf(id).call("listRuns", admin, { limit: 10, order: "asc" }))).items).toHaveLength(1);
    await value(goOn(id, { tokens: 201, on_limit: "end" }));
    expect(await following.until(isEnd)).toMatchObject({ status: "limit" });
    expect(requested).toHaveLength(3);
    following.close();
  });

  it("LIMIT23 A continue raises a limit no further than its caller may request", async () => {
    allow({ tokens: 300 });
    boss(5);
    const { id, following } = await limited({ tokens: 100, on_limit: "rest" }, "capped", { user_id: "ada" });
    const ada = { user: "ada", admin: false };
    for (const tokens of [null, 301]) {
      const refused = await stubOf(id).call("postRun", ada, { kind: "continue", limits: { tokens } }, null);
      expect(refused).toMatchObject({ ok: false, refusal: { code: "forbidden" } });
    }
    await value(stubOf(id).call("postRun", ada, { kind: "continue", limits: { tokens: 300, on_limit: "end" } }, null));
    expect(await following.until(isEnd)).toMatchObject({ status: "limit", usage: { total_tokens: 300 } });
    following.close();
  });

  it("LIMIT23 Two simultaneous continues with one idempotency key begin no second run", async () => {
    boss(3);
    const { id, runId, following } = await limited({ steps: 1, on_limit: "rest" });
    const key = { key: "k", fingerprint: "k" };
    // Each request has looked up the key before either continues.
    const gate = latch();
    const places = passing(({ name }) => (name === "admission.run-agent" ? gate.passed : undefined));
    void waitFor(() => places.received.filter(({ name }) => name === "admission.run-agent").length === 2).then(
      gate.open,
    );
    const both = await Promise.all([goOn(id, { steps: 9 }, key), goOn(id, { steps: 9 }, key)]);
    expect(both.map((answer) => (answer.ok ? answer.value.run?.id : null))).toEqual([runId, runId]);
    await following.until(isEnd);
    following.close();
    expect(await value(goOn(id, { steps: 9 }, key))).toMatchObject({ run: { id: runId }, repeated: true });
    expect((await value(stubOf(id).call("listRuns", admin, { limit: 10, order: "asc" }))).items).toHaveLength(1);
  });
});

describe("a wait at a limit", () => {
  it("LIMIT24 A run that waits at a limit has only the alarm of its deadline, at which it ends with the status limit", async () => {
    boss(3);
    const { id, following } = await limited({ steps: 1, on_limit: "rest" });
    const [rest] = restsOf(following.events);
    const deadline = rest?.tool_calls[0]?.deadline ?? 0;
    expect(Math.ceil((deadline - testClock.now()) / 3_600_000_000)).toBe(24);
    expect(await whenSuspended(id)).toBe(Math.floor(deadline / 1000));
    skip(24 * 3_600_000 + 1000);
    expect(await wake(id)).toBe(true);
    expect(await following.until(isEnd)).toMatchObject({ status: "limit", reason: "max_steps" });
    following.close();
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ status: "idle", pending_tool_calls: [] });
    expect(requested).toHaveLength(1);
  });

  it("LIMIT24 A run that waits at a limit survives crashes of its object, and so does a raised limit", async () => {
    boss(3);
    const { id, runId, following } = await limited({ steps: 1, on_limit: "rest" });
    following.close();
    await crash(id);
    await crash(id);
    expect(await lastRunOf(id)).toMatchObject({ id: runId, status: "awaiting_tool_execution" });
    const alarm = await alarmOf(id);
    expect(alarm).not.toBeNull();
    await value(goOn(id, { steps: 9 }));
    await crash(id);
    await wake(id);
    await waitFor(async () => (await lastRunOf(id)).status === "completed");
    expect(await lastRunOf(id)).toMatchObject({ id: runId, steps: 4 });
  });

  it("LIMIT24 A wait at a limit does not count as active time", async () => {
    boss(2);
    const { id, following } = await limited({ steps: 1, duration_ms: 40_000, on_limit: "rest" });
    await evict(id);
    skip(3_600_000);
    await value(goOn(id, { steps: 9, on_limit: "end" }));
    expect(await following.until(isEnd)).toMatchObject({ status: "completed" });
    following.close();
  });

  it("LIMIT24 A stop ends a run that waits at a limit, and an input that waited for the run begins with the next continue", async () => {
    scriptedAnswers.set("boss", ({ lastUser, step }) =>
      lastUser === "go" ? (step < 5 ? acting : { text: "done" }) : { text: "next done" },
    );
    const { id, runId, following } = await limited({ steps: 1, on_limit: "rest" });
    const next = await value(stubOf(id).call("postMessage", admin, message("next"), null));
    expect(next.run?.status).toBe("queued");
    expect(await stubOf(id).call("postMessage", admin, message("no", { when: "reject" }), null)).toMatchObject({
      ok: false,
    });
    const { pending_tool_calls: pending } = await value(stubOf(id).call("describe", admin));
    const results = pending.map((call) => ({ tool_call_id: call.id, result: "more" }));
    expect(await stubOf(id).call("postToolResults", admin, { results })).toMatchObject({
      ok: false,
      refusal: { code: "conflict" },
    });
    await value(stubOf(id).call("stop", admin, null));
    const end = await following.until((event) => isEnd(event) && event.run_id === runId);
    expect(end).toMatchObject({ status: "stopped" });
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ status: "idle", pending_tool_calls: [] });
    await value(stubOf(id).call("postRun", admin, { kind: "continue" }, null));
    expect(await following.until((event) => isEnd(event) && event.run_id === next.run?.id)).toMatchObject({
      status: "completed",
    });
    following.close();
  });
});

it("LIMIT24 A run that waits at a limit has one pending call with one deadline, also if another sub-prompt wakes the run meanwhile", async () => {
  for (const name of ["pro", "con"]) scriptedAnswers.set(name, ({ step }) => ({ text: `word ${step}`, usage }));
  scriptedAnswers.set("helper", () => acting);
  const calls = ["duel", "helper"].map((name) => ({ name, arguments: { task: "talk" } }));
  scriptedAnswers.set("boss", ({ step }) => (step === 0 ? { toolCalls: calls, usage } : { text: "done", usage }));
  const { id, following } = await limited({ tokens: 900, on_limit: "rest" });
  await waitFor(async () => (await lastRunOf(id)).usage.total_tokens >= 900);
  await waitFor(async () => (await lastRunOf(id)).status === "awaiting_tool_execution");
  const emitted = restsOf(following.events).flatMap(({ tool_calls }) => tool_calls);
  expect(new Set(emitted.map((call) => `${call.id} ${call.deadline}`)).size).toBe(1);
  expect(await value(stubOf(id).call("describe", admin))).toMatchObject({
    pending_tool_calls: [{ id: emitted[0]?.id }],
  });
  scriptedAnswers.set("helper", () => ({ text: "helped", usage }));
  await value(goOn(id, { tokens: 5000 }));
  expect(await following.until(isEnd)).toMatchObject({ status: "completed" });
  following.close();
});

it("LIMIT24 The imported copy of a run that waits at a limit has ended with an error after the same number of steps", async () => {
  boss(3);
  const { id, following } = await limited({ steps: 1, on_limit: "rest" });
  following.close();
  const text = await exported(id);
  await value(stubOf(id).call("remove", admin));
  expect(await imported(id, text, admin)).toMatchObject({ status: 201 });
  const copy = await value(stubOf(id).call("describe", admin));
  expect(copy).toMatchObject({ status: "error", active_run_id: null, pending_tool_calls: [] });
  const runs = linesOf(await exported(id)).filter(({ type }) => type === "run");
  expect(runs).toHaveLength(1);
  expect(await lastRunOf(id)).toMatchObject({ status: "error", steps: 1 });
});
