// Limits of runs whose side has a strategy, limits of plans, and calls that definitions queue during steps that offer no tools.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";

import { ring, skip, waits } from "../worker/clock.ts";
import { resetLimits } from "../worker/limited.ts";
import { toolEffects, requested, scriptedAnswers } from "../worker/team.ts";
import { resetAgents, waitFor, isEnd } from "./team-driver.ts";
import { admin, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(() => {
  resetAgents();
  resetLimits();
});

const page = { limit: 100, order: "asc" as const, include_silent: true };
const messagesOf = async (id: string) => (await value(stubOf(id).call("listMessages", admin, page))).items;
const act = (key: string) => ({ toolCalls: [{ name: "act", arguments: { key } }] });

/** An answer that does not end before its test. */
const long = { text: Array.from({ length: 20_000 }, (_, word) => `w${word} `), delayMs: 1 };

it("LIMIT14 If the time of a run with the strategy react is over while the model reasons, the stored steps and the reasoning so far are kept", async () => {
  const turns = [{ text: "I look first." }, act("k"), long];
  scriptedAnswers.set("reasoner", ({ messages }) => {
    return turns[messages.filter(({ role }) => role === "assistant").length] ?? { text: "?" };
  });
  const id = await newThread("reasoner");
  const following = await follow(id, { after: "0", include_silent: "true" });
  const limits = { duration_ms: 40_000 };
  await value(stubOf(id).call("postMessage", admin, message("go", { limits }), null));
  await following.until((event) => event.type === "text_delta" && event.step === 3);
  await waitFor(() => waits(id, { above: 30_000, upTo: 40_000 }).length > 0);
  await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), () => {
    const due = waits(id, { above: 30_000, upTo: 40_000 });
    skip(40_000);
    for (const timer of due) ring(id, timer);
  });
  expect(await following.until(isEnd)).toMatchObject({ type: "run_end", status: "limit", reason: "max_duration" });
  following.close();
  const answers = (await messagesOf(id)).filter(({ role }) => role === "assistant");
  expect(answers.map(({ strategy, stop_reason }) => [strategy?.phase, stop_reason])).toEqual([
    ["reason", "stop"],
    [undefined, "tool_calls"],
    ["reason", "aborted"],
  ]);
  expect(answers[0]?.content).toBe("I look first.");
  expect(answers[2]?.content).toMatch(/^w0 /);
});

it("Queued calls of definitions run although the strategy's next step offers no tools, and the strategy then continues in the same phase", async () => {
  const done: string[] = [];
  toolEffects.set("queue", (state) => state.queueTool("act", { key: "later" }));
  toolEffects.set("later", () => done.push("later"));
  const turns = [{ text: "I look first." }, act("queue"), { text: "That is enough." }, { text: "It rains." }];
  scriptedAnswers.set("reasoner", ({ messages }) => {
    const fromModel = messages.filter(({ role, tool_calls: calls = [] }) => {
      return role === "assistant" && !JSON.stringify(calls).includes("later");
    });
    return turns[fromModel.length] ?? { text: "?" };
  });
  const id = await newThread("reasoner");
  const events = await converse(id, "go");
  expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  expect(done).toEqual(["later"]);
  expect(requested.map(({ request }) => request.toolChoice)).toEqual(["none", "auto", "none", "auto"]);
  const answers = (await messagesOf(id)).filter(({ role }) => role === "assistant");
  expect(answers.map(({ content, metadata, strategy }) => [content, metadata["queued"], strategy?.phase])).toEqual([
    ["I look first.", undefined, "reason"],
    [null, undefined, undefined],
    [null, true, undefined],
    ["That is enough.", undefined, "reason"],
    ["It rains.", undefined, undefined],
  ]);
});

it("The description of a plan's step is cut to 1,000 bytes, and a plan is requested again if the id of a step has more than 100 characters", async () => {
  const id = await newThread("planner");
  const planWith = (step: string, description: string) => ({
    text: JSON.stringify({ steps: [{ id: step, description, tool: null, dependsOn: [] }] }),
  });
  const answers = [planWith("i".repeat(101), "Look."), planWith("i".repeat(100), "Look. ".repeat(500))];
  scriptedAnswers.set("reasoner", () => answers[requested.length - 1] ?? { text: "Done." });
  const events = await converse(id, "go");
  expect(requested[1]?.request.lastUser).toContain("The id of a step has more than 100 characters");
  const plans = events.filter((event) => event.type === "plan");
  const [step] = plans.at(-1)?.steps ?? [];
  expect(step).toMatchObject({ id: "i".repeat(100), status: "completed" });
  expect(step?.description).toContain("characters left out]");
  expect(new TextEncoder().encode(JSON.stringify(step?.description)).length).toBeLessThanOrEqual(1000);
});
