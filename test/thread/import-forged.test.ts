// An import states the usage that its runs had elsewhere. The usage that it states of runs that have not begun counts nowhere.

import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";

import { zeroUsage } from "#contract/usage.ts";

import { scripts } from "../worker/definitions.ts";
import { allow, resetLimits } from "../worker/limited.ts";
import { scriptedAnswers } from "../worker/team.ts";
import { exported, imported, linesOf, sealed } from "./archive-client.ts";
import type { Line } from "./archive-client.ts";
import { all, first, fortune, waits } from "./forged-lines.ts";
import { admin, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(resetLimits);

const page = { limit: 1000, order: "asc" as const, include_silent: true };

it("IMPORT7 An import does not count usage that the file states for a queued run, or for a run that never began", async () => {
  const made = await newThread("filer", { user_id: "ada" });
  await converse(made, "once");
  await converse(made, "more");
  const id = crypto.randomUUID();
  const known = linesOf((await exported(made)).replaceAll(made, id));
  const said = { usage: fortune, cost: 123_456, model: "test", run_id: first(known, "run")["id"], depth: 3 };
  const waiting = waits(known, said);
  const never = { started_at: null, created_at: 9e15, spent: { test: { usage: fortune, cost: 1e9 } } };
  Object.assign(first(known, "run"), never);
  // Runs that this deployment's catalog does not have.
  const text = all(known, "run").reduce((forged, { run }) => {
    const runId = String(run.id);
    return forged.replaceAll(runId, `${runId.slice(0, -12)}abcdef${runId.slice(-6)}`);
  }, JSON.stringify(known));
  const lines = JSON.parse(text) as Line[];
  const { status } = await imported(id, await sealed(lines), { user: "ada", admin: false });
  expect(status).toBe(201);
  const { items } = await value(stubOf(id).call("listRuns", admin, { limit: 50, order: "desc" }));
  expect(items[0]).toMatchObject({ status: "queued", steps: 0, usage: zeroUsage, cost: 0 });
  // The queue continues with the next input.
  await converse(id, "here");
  await value(stubOf(id).call("relist", admin));
  const sum = env.CATALOG.prepare("SELECT sum(cost) AS cost FROM run_total WHERE thread_id = ?1").bind(id);
  expect(await sum.first("cost")).toBeLessThan(1);
  const { items: messages } = await value(stubOf(id).call("listMessages", admin, page));
  const input = messages.find((message) => message.id === waiting["queued"]["message"]["id"]);
  expect(input).toMatchObject({ role: "user", depth: 0, usage: null, cost: null, model: null });
});

const ada = { user: "ada", admin: false };
const usage = { input: 60, output: 40 };

/** A thread of two runs, one with a sub-prompt, that used 500 tokens. */
async function spent(): Promise<{ id: string; lines: Line[] }> {
  scriptedAnswers.set("boss", ({ step, lastUser }) =>
    step === 0 && lastUser === "delegate"
      ? { toolCalls: [{ name: "helper", arguments: { task: "help" } }], usage }
      : { text: "a long answer ".repeat(20), usage },
  );
  scriptedAnswers.set("helper", () => ({ text: "helped", usage }));
  const made = await newThread("capped", { user_id: "ada" });
  await converse(made, "delegate");
  await converse(made, "more");
  await converse(made, "more");
  const id = crypto.randomUUID();
  return { id, lines: linesOf((await exported(made)).replaceAll(made, id)) };
}

const nothing = { usage: zeroUsage, cost: 0 };
const noRuns = (lines: Line[]) => {
  for (const { run } of all(lines, "run")) Object.assign(run, { ...nothing, spent: {}, work: undefined, steps: 0 });
};
const noMessages = (lines: Line[]) => {
  for (const { message: one } of all(lines, "message")) if (one.usage !== null) Object.assign(one, nothing);
};
const noLogs = (lines: Line[]) => {
  for (const { log } of all(lines, "log")) if (log.type === "llm_request") Object.assign(log.data, nothing);
};

it.each<[string, (lines: Line[]) => void, number]>([
  ["its runs", noRuns, 500],
  ["its runs and messages", (lines) => [noRuns, noMessages].forEach((forge) => forge(lines)), 500],
  ["its runs and logs", (lines) => [noRuns, noLogs].forEach((forge) => forge(lines)), 500],
  ["the sum of its tokens", (lines) => all(lines, "run").forEach(({ run }) => (run.usage.total_tokens = 0)), 500],
])(
  "IMPORT21 An import takes the usage of a thread from the file's other records if the usage is zero in %s",
  async (_what, forge, tokens) => {
    allow({}, { tokens });
    const { id, lines } = await spent();
    forge(lines);
    expect(await imported(id, await sealed(lines), ada)).toMatchObject({ status: 201 });
    const thread = await value(stubOf(id).call("describe", admin));
    expect(thread.usage.total_tokens).toBe(tokens);
    expect(thread.cost).toBeCloseTo(0.0007, 9);
    expect((await converse(id, "more")).at(-1)).toMatchObject({ status: "limit", reason: "thread_tokens" });
  },
);

it("IMPORT21 An imported thread has the estimated usage of its answers if the file has no usage", async () => {
  const { id, lines } = await spent();
  for (const forge of [noRuns, noMessages, noLogs]) forge(lines);
  expect(await imported(id, await sealed(lines), ada)).toMatchObject({ status: 201 });
  const { usage: used } = await value(stubOf(id).call("describe", admin));
  const answer = Math.ceil("a long answer ".repeat(20).length / 4);
  expect(used.total_tokens).toBeGreaterThanOrEqual(3 * answer);
});

it("IMPORT22 A user's import has no names of approvers, and an administrator's import keeps them", async () => {
  scripts.set("approved", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "pay", arguments: { to: "ada", amount: 5 } }] } : { text: "Done." },
  );
  const made = await newThread("payer", { user_id: "ada" });
  const following = await follow(made, { after: "0" });
  await value(stubOf(made).call("postMessage", ada, message("approved"), null));
  const rest = await following.until(({ type }) => type === "awaiting_tool_execution");
  const call = rest.type === "awaiting_tool_execution" ? rest.tool_calls[0]?.id : undefined;
  await value(stubOf(made).call("postToolResults", ada, { results: [{ tool_call_id: call ?? "", approved: true }] }));
  await following.until(({ type }) => type === "run_end");
  following.close();
  const text = await exported(made);
  const approvals = async (id: string) =>
    (await value(stubOf(id).call("listMessages", admin, page))).items.flatMap(({ approval }) => approval ?? []);
  const [own] = await approvals(made);
  expect(own).toMatchObject({ approved: true, by: "ada" });

  const forged = crypto.randomUUID();
  const lines = linesOf(text.replaceAll(made, forged));
  for (const { message: one } of all(lines, "message")) if (one.approval !== undefined) one.approval.by = "carol";
  expect(await imported(forged, await sealed(lines), ada)).toMatchObject({ status: 201 });
  expect(await approvals(forged)).toEqual([{ ...own, by: null, imported: true }]);
  const again = crypto.randomUUID();
  const copy = (await exported(forged)).replaceAll(forged, again);
  expect(await imported(again, await sealed(linesOf(copy)))).toMatchObject({ status: 201 });
  expect(await approvals(again)).toEqual([{ ...own, by: null, imported: true }]);

  const restored = crypto.randomUUID();
  expect(await imported(restored, await sealed(linesOf(text.replaceAll(made, restored))))).toMatchObject({
    status: 201,
  });
  expect(await approvals(restored)).toEqual([own]);
});
