// Model requests that tools send during their calls count toward the deployment's ceiling of steps (STEP_CEILING).

import { beforeEach, expect, it } from "vitest";

import type { TestTurn, ThreadState } from "#spec/index.ts";

import { scripts } from "../worker/definitions.ts";
import { inner } from "../worker/executed.ts";
import { allow, capped, resetLimits, limit } from "../worker/limited.ts";
import { toolEffects, requested, scriptedAnswers } from "../worker/team.ts";
import { calling, goOn, limited, usage } from "./limit-driver.ts";
import { outcome, setServer } from "./mcp-driver.ts";
import { latch, resetAgents, waitFor, isEnd, lastRunOf, messagesOf } from "./team-driver.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(() => {
  resetAgents();
  resetLimits();
  sent = 0;
});

/** The requests that tools sent and that were answered. */
let sent = 0;

/** The text of an error. */
const textOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown));

/** Sends requests from a tool. Returns the error of the first refused one; null if none was refused. */
async function send(state: ThreadState, count: number, parallel = false): Promise<string | null> {
  const one = async () => {
    try {
      await inner(state, [{ text: "Advice." }]).generate("Ask.");
      sent += 1;
      return null;
    } catch (thrown) {
      return textOf(thrown);
    }
  };
  if (parallel) return (await Promise.all(Array.from({ length: count }, one))).find((error) => error !== null) ?? null;
  let refused: string | null = null;
  for (let at = 0; at < count; at += 1) refused ??= await one();
  return refused;
}

const act = (key: string): TestTurn => ({ toolCalls: [{ name: "act", arguments: { key } }], usage });

/** A boss that calls the tool `act` in each of these steps, and then answers. */
function bossEffect(...keys: string[]): void {
  scriptedAnswers.set("boss", ({ step }) => (keys[step] === undefined ? { text: "done", usage } : act(keys[step])));
}

const refusal = "The thread's run has reached its limit: max_steps.";

it.each([
  ["one after the other", false],
  ["in parallel", true],
])(
  "LIMIT30 A tool that sends 202 requests with { in: state } %s gets an error for the sixth request of the run under STEP_CEILING=5, and the run ends at that limit",
  async (_name, parallel) => {
    allow({ steps: 5 });
    const errors: (string | null)[] = [];
    toolEffects.set("ask", async (state) => errors.push(await send(state, 202, parallel)));
    bossEffect("ask", "ask");
    const events = await converse(await newThread("capped"), "go");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason: "max_steps" });
    expect(errors).toEqual([refusal]);
    expect(requested.length + sent).toBe(5);
  },
);

it("LIMIT30 A tool's model with tools of its own sends no request beyond the ceiling in the middle of its turn", async () => {
  allow({ steps: 5 });
  const look = {
    name: "look_up",
    description: "Looks.",
    parameters: { type: "object" },
    run: () => (sent += 1),
  } as const;
  const script = Array.from({ length: 50 }, (): TestTurn => ({ toolCalls: [{ name: "look_up", arguments: {} }] }));
  const errors: string[] = [];
  toolEffects.set("ask", (state) =>
    inner(state, script, { tools: [look], toolStrategy: { maxIterations: 60 } })
      .generate("Ask.")
      .catch((thrown: unknown) => errors.push(textOf(thrown))),
  );
  bossEffect("ask");
  const events = await converse(await newThread("capped"), "go");
  expect(events.at(-1)).toMatchObject({ status: "limit", reason: "max_steps" });
  expect(errors).toEqual([refusal]);
  expect(requested.length + sent).toBe(5);
});

it("LIMIT30 If maxSteps bounds the steps of a run, the ceiling bounds the requests of its tools alone, and the run continues", async () => {
  allow({ steps: 5 });
  capped.sideA.maxSteps = 4;
  const errors: (string | null)[] = [];
  toolEffects.set("ask", async (state) => errors.push(await send(state, 50)));
  bossEffect("ask", "ask");
  const events = await converse(await newThread("capped"), "go");
  expect(events.at(-1)).toMatchObject({ status: "completed" });
  expect(errors).toEqual([refusal, refusal]);
  expect(sent).toBe(5);
});

it("LIMIT30 The limits of steps of agents and requests do not count the requests of tools, which the ceiling bounds all the same", async () => {
  allow({ steps: 12 });
  const errors: (string | null)[] = [];
  toolEffects.set("ask", async (state) => errors.push(await send(state, 4)));
  toolEffects.set("more", async (state) => errors.push(await send(state, 20)));
  bossEffect("ask", "more");
  const events = await converse(await newThread("capped"), "go", { limits: { steps: 3 } });
  expect(events.at(-1)).toMatchObject({ status: "limit", reason: "max_steps" });
  expect(errors).toEqual([null, refusal]);
  expect(requested.length + sent).toBe(12);
  sent = 0;
  requested.length = 0;
  limit(capped, { steps: 3 });
  bossEffect("ask", "ask");
  expect((await converse(await newThread("capped"), "go")).at(-1)).toMatchObject({ status: "completed" });
  expect(requested.length + sent).toBe(3 + 8);
});

it("LIMIT30 An administrator's limit of steps that exceeds the ceiling replaces it, and null removes it", async () => {
  allow({ steps: 5 });
  toolEffects.set("ask", (state) => send(state, 20));
  bossEffect("ask");
  await converse(await newThread("capped"), "go", { limits: { steps: 8 } });
  expect(requested.length + sent).toBe(8);
  const events = await converse(await newThread("capped"), "go", { limits: { steps: null } });
  expect(events.at(-1)).toMatchObject({ status: "completed" });
  expect(requested.length + sent).toBe(8 + 22);
});

it("LIMIT30 The requests of tools before a crash count after it", async () => {
  allow({ steps: 6 });
  const [reached, never] = [latch(), latch()];
  let lives = 0;
  toolEffects.set("ask", (state) => send(state, 3));
  toolEffects.set("hang", async (state) => {
    await send(state, 1);
    if ((lives += 1) > 1) return;
    reached.open();
    await never.passed;
  });
  toolEffects.set("more", (state) => send(state, 50));
  bossEffect("ask", "hang", "more");
  const id = await newThread("capped");
  await value(stubOf(id).call("postMessage", admin, message("go"), null));
  await reached.opened();
  await crash(id);
  const following = await follow(id, { after: "0" });
  expect(await following.until(isEnd)).toMatchObject({ status: "limit", reason: "max_steps" });
  following.close();
  // Two steps and four requests of tools: the ceiling is reached before the third step.
  expect([requested.length, sent]).toEqual([2, 4]);
});

it("LIMIT30 The requests of tools in nested loops count for the run", async () => {
  allow({ steps: 6 });
  toolEffects.set("ask", (state) => send(state, 50));
  scriptedAnswers.set("boss", ({ step }) => (step === 0 ? calling("helper") : { text: "done", usage }));
  scriptedAnswers.set("helper", ({ step }) => (step === 0 ? act("ask") : { text: "helped", usage }));
  const events = await converse(await newThread("capped"), "go");
  expect(events.at(-1)).toMatchObject({ status: "limit", reason: "max_steps" });
  expect(requested.length + sent).toBe(6);
});

it("LIMIT30 A child thread may use its share of the steps for its steps and the requests of its tools together, and they count for the parent's run", async () => {
  allow({ steps: 10 });
  toolEffects.set("ask", (state) => send(state, 3));
  toolEffects.set("more", (state) => send(state, 50));
  scriptedAnswers.set("boss", ({ step }) => (step < 2 ? calling("miser") : { text: "done", usage }));
  let threads = 0;
  scriptedAnswers.set("miser", ({ step }) => {
    if (step > 0) return { text: "saved", usage };
    threads += 1;
    return act(threads === 1 ? "ask" : "more");
  });
  const id = await newThread("capped");
  const events = await converse(id, "go");
  expect(events.at(-1)).toMatchObject({ status: "limit", reason: "max_steps" });
  expect(threads).toBe(2);
  expect(requested.length + sent).toBe(10);
});

it("LIMIT30 A run that waits at the ceiling reports its steps and the requests of its tools, and continues when an administrator raises the limit", async () => {
  allow({ steps: 5 });
  toolEffects.set("ask", (state) => send(state, 20));
  bossEffect("ask");
  const { id, following } = await limited({ on_limit: "rest" });
  const [call] = (await value(stubOf(id).call("describe", admin))).pending_tool_calls;
  expect(call).toMatchObject({
    kind: "limit",
    arguments: { reason: "max_steps", amount: "steps", allowed: 5, used: 5 },
  });
  expect(await goOn(id, { steps: 5 })).toMatchObject({ ok: false, refusal: { code: "conflict" } });
  await value(goOn(id, { steps: 6 }));
  expect(await following.until(isEnd)).toMatchObject({ status: "completed" });
  following.close();
  expect(requested.length + sent).toBe(6);
});

it("LIMIT30 A text that an MCP server requests counts toward the ceiling, and the server gets an error beyond it", async () => {
  allow({ steps: 3 });
  const word = `mcp-${crypto.randomUUID()}`;
  const call = { name: "everything__trigger-sampling-request", arguments: { prompt: word, maxTokens: 50 } };
  setServer("everything", "everything", { sampling: { model: "scripted", maxRequests: 9 } });
  scripts.set(word, ({ tools }) => (tools.length === 0 ? { text: "sampled" } : { toolCalls: [call, call, call] }));
  const id = await newThread("mcp");
  await value(stubOf(id).call("postMessage", admin, message(word), null));
  await waitFor(async () => (await lastRunOf(id)).status === "limit");
  const results = (await messagesOf(id)).filter(({ role }) => role === "tool").map(outcome);
  expect(results.map(([status]) => status)).toEqual(["success", "success", "error"]);
  expect(results[2]?.[1]).toContain("The run has reached its limit: max_steps.");
});
