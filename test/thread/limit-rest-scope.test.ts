// The limits at which a run with `on_limit: "rest"` waits, in which of its sub-prompts, and the effect of a limit of time.

import { beforeEach, describe, expect, it } from "vitest";

import type { Limits } from "#contract/run.ts";

import { skip } from "../worker/clock.ts";
import { capped, duel, resetLimits, limit } from "../worker/limited.ts";
import { toolEffects, requested, scriptedAnswers } from "../worker/team.ts";
import { acting, boss, calling, goOn, isRest, limited, restsOf, usage } from "./limit-driver.ts";
import { childOf, resetAgents, isEnd, lastRunOf, messagesOf } from "./team-driver.ts";
import { admin, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(() => {
  resetAgents();
  resetLimits();
});

describe("limits at which a run waits", () => {
  const ended = async (limits: Limits) => {
    const id = await newThread("capped");
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message("go", { limits }), null));
    const end = await following.until((event) => isEnd(event) || isRest(event));
    following.close();
    return end;
  };

  it("LIMIT25 A run waits at an agent's limit if the agent sets onLimit to rest, unless the request sets on_limit to end", async () => {
    boss(3);
    limit(capped, { steps: 2, onLimit: "rest" });
    const { id, following } = await limited(null);
    await value(goOn(id, { steps: 20 }));
    expect(await following.until(isEnd)).toMatchObject({ status: "completed" });
    following.close();
    expect(await ended({ on_limit: "end" })).toMatchObject({ type: "run_end", status: "limit" });
  });

  it("LIMIT25 A run with on_limit rest ends at a limit of an agent without onLimit rest, and at a limit of the thread", async () => {
    boss(5);
    limit(capped, { steps: 2 });
    const rest = "rest" as const;
    expect(await ended({ on_limit: rest })).toMatchObject({ type: "run_end", reason: "max_steps" });
    expect(await ended({ steps: 1, on_limit: rest })).toMatchObject({ type: "awaiting_tool_execution" });
    resetLimits();
    capped.threadLimits = { tokens: 200 };
    expect(await ended({ on_limit: rest })).toMatchObject({ type: "run_end", reason: "thread_tokens" });
    expect(await ended({ steps: 2, on_limit: rest })).toMatchObject({ type: "run_end", reason: "thread_tokens" });
  });

  it("LIMIT25 A continue at a limit gives the run no more than the agent allows", async () => {
    boss(5);
    limit(capped, { steps: 3 });
    const { id, following } = await limited({ steps: 1, on_limit: "rest" });
    await value(goOn(id, { steps: null }));
    expect(await following.until(isEnd)).toMatchObject({ status: "limit", reason: "max_steps" });
    following.close();
    expect(requested).toHaveLength(3);
  });

  it("LIMIT22 A run that waits at a limit after a failed attempt continues with the next attempt", async () => {
    const cut = { text: "half an ", error: { kind: "network" as const, message: "cut" } };
    scriptedAnswers.set("boss", () => (requested.length < 2 ? cut : { text: "done", usage }));
    const { id, following } = await limited({ tokens: 1, on_limit: "rest" });
    expect(requested).toHaveLength(1);
    await value(goOn(id, { tokens: null }));
    expect(await following.until(isEnd)).toMatchObject({ status: "completed" });
    following.close();
    const attempts = following.events.flatMap((event) => (event.type === "step_start" ? [event.attempt] : []));
    expect(attempts).toEqual([1, 2]);
    expect((await messagesOf(id)).map(({ content }) => content)).toEqual(["go", "done"]);
  });

  it("LIMIT26 A sub-prompt whose run waits at a limit continues at its next step when the limit is raised", async () => {
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? calling("helper") : { text: "done", usage }));
    scriptedAnswers.set("helper", ({ step }) => (step < 2 ? acting : { text: "helped", usage }));
    const { id, following } = await limited({ steps: 3, on_limit: "rest" });
    expect(await value(stubOf(id).call("describe", admin))).toMatchObject({ pending_tool_calls: [{ name: "limit" }] });
    await evict(id);
    await value(goOn(id, { steps: 9 }));
    expect(await following.until(isEnd)).toMatchObject({ status: "completed", usage: { total_tokens: 500 } });
    following.close();
    expect(requested.map(({ persona }) => persona)).toEqual(["boss", "helper", "helper", "helper", "boss"]);
    const call = (await messagesOf(id)).find(({ role, depth }) => role === "tool" && depth === 0);
    expect(call?.result).toMatchObject({ status: "success" });
  });

  it("LIMIT26 A child thread ends when it has used its share of its parent's budget, although its agent sets onLimit to rest, and the parent waits at the limit", async () => {
    for (const name of ["pro", "con"]) scriptedAnswers.set(name, ({ step }) => ({ text: `word ${step}`, usage }));
    limit(duel, { onLimit: "rest", turns: 500 });
    scriptedAnswers.set("boss", ({ step }) => (step === 0 ? calling("duel") : { text: "done", usage }));
    const { id, following } = await limited({ tokens: 500, on_limit: "rest" });
    const child = childOf(await following.until(({ type }) => type === "subagent_start"));
    expect(await lastRunOf(child)).toMatchObject({
      status: "limit",
      reason: "max_tokens",
      usage: { total_tokens: 400 },
    });
    expect(restsOf(following.events)[0]?.tool_calls).toMatchObject([
      { arguments: { used: 500, reason: "max_tokens" } },
    ]);
    await value(goOn(id, { tokens: 600 }));
    expect(await following.until(isEnd)).toMatchObject({ status: "completed", usage: { total_tokens: 600 } });
    following.close();
  });
});

describe("a limit of time at which a run waits", () => {
  it("LIMIT27 A limit of time at which a run waits does not interrupt a tool, and is checked before the next request to the model", async () => {
    toolEffects.set("slow", () => skip(60_000));
    scriptedAnswers.set("boss", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "act", arguments: { key: "slow" } }], usage } : { text: "done", usage },
    );
    const { id, following } = await limited({ duration_ms: 40_000, on_limit: "rest" });
    const results = (await messagesOf(id)).filter(({ role }) => role === "tool").map(({ result }) => result?.status);
    expect(results).toEqual(["success"]);
    expect(restsOf(following.events)[0]?.tool_calls).toMatchObject([{ arguments: { reason: "max_duration" } }]);
    expect(await goOn(id, { duration_ms: 50_000 })).toMatchObject({ ok: false });
    await value(goOn(id, { duration_ms: 120_000 }));
    expect(await following.until(isEnd)).toMatchObject({ status: "completed" });
    following.close();
  });
});
