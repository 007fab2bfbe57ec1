// The time limits of an MCP server's calls while one of its questions is open, over real HTTP.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, it } from "vitest";

import type { EventOf, ThreadEvent } from "#contract/event.ts";

import { ring, ringByHand, setClockRight, waitingFor, waits } from "../worker/clock.ts";
import { scripts } from "../worker/definitions.ts";
import { outcome, setServer } from "./mcp-driver.ts";
import { admin, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

afterEach(() => setClockRight());

const timeoutMs = 54_321;
const page = { limit: 100, order: "asc" as const, include_silent: false };
const question = {
  message: "Who are you?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
};

const isQuestion = (event: ThreadEvent): event is EventOf<"questions_changed"> =>
  event.type === "questions_changed" && event.tool_calls.length === 1;

it("If a call begins while another call's question is open, its time limit starts when the question ends", async () => {
  const asking = setServer("everything", "bad/asking", { elicitation: true, timeoutMs });
  const other = setServer("other", "bad/slow");
  const id = await newThread("mcp-ordered");
  ringByHand(id);
  const word = `mcp-${crypto.randomUUID()}`;
  const toolCalls = [
    { name: "everything__ask", arguments: { questions: [question] } },
    { name: "other__ping", arguments: {} },
    // Begins after the call of the other server, and has a result when the test releases it.
    { name: "everything__ask", arguments: { withdraw: true, _after: ["other__ping"] } },
  ];
  scripts.set(word, ({ step }) => (step === 0 ? { toolCalls } : { text: "done" }));
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message(word), null));
  const [open] = ((await following.until(isQuestion)) as EventOf<"questions_changed">).tool_calls;
  const calls = async (server: typeof asking) =>
    (await server.requests()).lines.filter((line) => line.startsWith("POST tools/call")).length;
  await expect.poll(() => calls(other), { timeout: 100_000 }).toBe(1);
  expect(await calls(asking)).toBe(1);
  await other.release();
  await expect.poll(() => calls(asking), { timeout: 100_000 }).toBe(2);

  const object = env.THREADS.get(env.THREADS.idFromName(id));
  expect(await runInDurableObject(object, () => waitingFor(id, timeoutMs))).toBe(0);
  await runInDurableObject(object, () => ring(id, timeoutMs));
  await value(
    stubOf(id).call("postToolResults", admin, { results: [{ tool_call_id: open?.id ?? "", approved: false }] }),
  );
  await following.until((event) => event.type === "tool_execution_end" && event.tool_name === "everything__ask");
  expect(await runInDurableObject(object, () => waits(id, { above: 50_000, upTo: timeoutMs }))).toHaveLength(1);
  await asking.release();
  await following.until(({ type }) => type === "run_end");
  following.close();
  const { items } = await value(stubOf(id).call("listMessages", admin, page));
  expect(items.filter(({ role }) => role === "tool").map(outcome)).toEqual([
    ["success", '[{"action":"decline"}]'],
    ["success", "pong"],
    ["success", "[]"],
  ]);
});
