// Model requests that tools send during their calls count toward the deployment's ceiling of steps (STEP_CEILING).

import { beforeEach, expect, it } from "vitest";

import type { TestTurn, ThreadState } from "#spec/index.ts";

import { scripts } from "../worker/definitions.ts";
import { inner } from "../worker/executed.ts";
import { allow, capped, freshLimits, limit } from "../worker/limited.ts";
import { acts, asked, personas } from "../worker/team.ts";
import { calling, goOn, limited, usage } from "./limit-driver.ts";
import { outcome, setServer } from "./mcp-driver.ts";
import { door, freshTeam, holds, isEnd, lastRunOf, messagesOf } from "./team-driver.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(() => {
  freshTeam();
  freshLimits();
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
function bossActs(...keys: string[]): void {
  personas.set("boss", ({ step }) => (keys[step] === undefined ? { text: "done", usage } : act(keys[step])));
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
    acts.set("ask", async (state) => errors.push(await send(state, 202, parallel)));
    bossActs("ask", "ask");
    const events = await converse(await newThread("capped"), "go");
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason: "max_steps" });
    expect(errors).toEqual([refusal]);
    expect(asked.length + sent).toBe(5);
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
  acts.set("ask", (state) =>
    inner(state, script, { tools: [look], toolStrategy: { maxIterations: 60 } })
      .generate("Ask.")
      .catch((thrown: unknown) => errors.push(textOf(thrown))),
  );
  bossActs("ask");
  const events = await converse(await newThread("capped"), "go");
  expect(events.at(-1)).toMatchObject({ status: "limit", reason: "max_steps" });
  expect(errors).toEqual([refusal]);
  expect(asked.length + sent).toBe(5);
});

it("LIMIT30 If maxSteps bounds the steps of a run, the ceiling bounds the requests of its tools alone, and the run continues", async () => {
  allow({ steps: 5 });
  capped.sideA.maxSteps = 4;
  const errors: (string | null)[] = [];
  acts.set("ask", async (state) => errors.push(await send(state, 50)));
  bossActs("ask", "ask");
  const events = await converse(await newThread("capped"), "go");
  expect(events.at(-1)).toMatchObject({ status: "completed" });
  expect(errors).toEqual([refusal, refusal]);
  expect(sent).toBe(5);
});

it("LIMIT30 The limits of steps of agents and requests do not count the requests of tools, which the ceiling bounds all the same", async () => {
  allow({ steps: 12 });
  const errors: (string | null)[] = [];
  acts.set("ask", async (state) => errors.push(await send(state, 4)));
  acts.set("more", async (state) => errors.push(await send(state, 20)));
  bossActs("ask", "more");
  const events = await converse(await newThread("capped"), "go", { limits: { steps: 3 } });
  expect(events.at(-1)).toMatchObject({ status: "limit", reason: "max_steps" });
  expect(errors).toEqual([null, refusal]);
  expect(asked.length + sent).toBe(12);
  sent = 0;
  asked.length = 0;
  limit(capped, { steps: 3 });
  bossActs("ask", "ask");
  expect((await converse(await newThread("capped"), "go")).at(-1)).toMatchObject({ status: "completed" });
  expect(asked.length + sent).toBe(3 + 8);
});

it("LIMIT30 An administrator's limit of steps that exceeds the ceiling replaces it, and null removes it", async () => {
  allow({ steps: 5 });
  acts.set("ask", (state) => send(state, 20));
  bossActs("ask");
  await converse(await newThread("capped"), "go", { limits: { steps: 8 } });
  expect(asked.length + sent).toBe(8);
  const events = await converse(await newThread("capped"), "go", { limits: { steps: null } });
  expect(events.at(-1)).toMatchObject({ status: "completed" });
  expect(asked.length + sent).toBe(8 + 22);
});

it("LIMIT30 The requests of tools before a crash count after it", async () => {
  allow({ steps: 6 });
  const [reached, never] = [door(), door()];
  let lives = 0;
  acts.set("ask", (state) => send(state, 3));
  acts.set("hang", async (state) => {
    await send(state, 1);
    if ((lives += 1) > 1) return;
    reached.open();
    await never.passed;
  });
  acts.set("more", (state) => send(state, 50));
  bossActs("ask", "hang", "more");
  const id = await newThread("capped");
  await value(stubOf(id).call("postMessage", admin, message("go"), null));
  await reached.opened();
  await crash(id);
  const following = await follow(id, { after: "0" });
  expect(await following.until(isEnd)).toMatchObject({ status: "limit", reason: "max_steps" });
  following.close();
  // Two steps and four requests of tools: the ceiling is reached before the third step.
  expect([asked.length, sent]).toEqual([2, 4]);
});

it("LIMIT30 The requests of tools in nested loops count for the run", async () => {
  allow({ steps: 6 });
  acts.set("ask", (state) => send(state, 50));
  personas.set("boss", ({ step }) => (step === 0 ? calling("helper") : { text: "done", usage }));
  personas.set("helper", ({ step }) => (step === 0 ? act("ask") : { text: "helped", usage }));
  const events = await converse(await newThread("capped"), "go");
  expect(events.at(-1)).toMatchObject({ status: "limit", reason: "max_steps" });
  expect(asked.length + sent).toBe(6);
});

it("LIMIT30 A child thread may use its share of the steps for its steps and the requests of its tools together, and they count for the parent's run", async () => {
  allow({ steps: 10 });
  acts.set("ask", (state) => send(state, 3));
  acts.set("more", (state) => send(state, 50));
  personas.set("boss", ({ step }) => (step < 2 ? calling("miser") : { text: "done", usage }));
  let threads = 0;
  personas.set("miser", ({ step }) => {
    if (step > 0) return { text: "saved", usage };
    threads += 1;
    return act(threads === 1 ? "ask" : "more");
  });
  const id = await newThread("capped");
  const events = await converse(id, "go");
  expect(events.at(-1)).toMatchObject({ status: "limit", reason: "max_steps" });
  expect(threads).toBe(2);
  expect(asked.length + sent).toBe(10);
});

it("LIMIT30 A run that waits at the ceiling reports its steps and the requests of its tools, and continues when an administrator raises the limit", async () => {
  allow({ steps: 5 });
  acts.set("ask", (state) => send(state, 20));
  bossActs("ask");
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
  expect(asked.length + sent).toBe(6);
});

it("LIMIT30 A text that an MCP server requests counts toward the ceiling, and the server gets an error beyond it", async () => {
  allow({ steps: 3 });
  const word = `mcp-${crypto.randomUUID()}`;
  const call = { name: "everything__trigger-sampling-request", arguments: { prompt: word, maxTokens: 50 } };
  setServer("everything", "everything", { sampling: { model: "scripted", maxRequests: 9 } });
  scripts.set(word, ({ tools }) => (tools.length === 0 ? { text: "sampled" } : { toolCalls: [call, call, call] }));
  const id = await newThread("mcp");
  await value(stubOf(id).call("postMessage", admin, message(word), null));
  await holds(async () => (await lastRunOf(id)).status === "limit");
  const results = (await messagesOf(id)).filter(({ role }) => role === "tool").map(outcome);
  expect(results.map(([status]) => status)).toEqual(["success", "success", "error"]);
  expect(results[2]?.[1]).toContain("The run has reached its limit: max_steps.");
});
