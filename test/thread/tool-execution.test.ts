// Models that a tool of a thread runs by itself, with `{ in: state }`: usage and cost of the run, events, limits, stops and crashes.

import { env } from "cloudflare:workers";
import { expect, inject, it } from "vitest";

import { agent } from "#facade/uap/index.ts";
import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/index.ts";
import anthropic from "#facade/upp/provider/anthropic-models.ts";
import type { TestTurn, ThreadState } from "#spec/index.ts";

import { crossing } from "../worker/crossing.ts";
import { inner, innerCost } from "../worker/executed.ts";
import { consulting, of, ownCost, toolMessage } from "./consult-driver.ts";
import { isEnd, lastRunOf } from "./team-driver.ts";
import { admin, converse, crash, follow, message, stubOf, value } from "./thread-driver.ts";

const tool = {
  name: "look_up",
  description: "Looks something up.",
  parameters: { type: "object" },
  run: () => "found",
} as const;

const twoAnswers: TestTurn[] = [{ toolCalls: [{ name: "look_up", arguments: {} }] }, { text: "The answer." }];

it("The tokens and the cost of a model that a tool runs with { in: state } count towards the run, its thread and the usage report", async () => {
  const { id, text } = await consulting(async (state) => {
    const turn = await inner(state, twoAnswers, { tools: [tool] }).generate("Ask.");
    return turn.response.text;
  });
  const events = await converse(id, text);
  const [end] = of(events, "run_end");
  expect(end).toMatchObject({ status: "completed", usage: { input: 22, output: 4, total_tokens: 26 } });
  expect(end?.cost).toBeCloseTo(ownCost + 2 * innerCost, 12);
  const thread = await value(stubOf(id).call("describe", admin));
  expect(thread.usage.total_tokens).toBe(26);
  expect(thread.cost).toBeCloseTo(ownCost + 2 * innerCost, 12);
  expect((await lastRunOf(id)).models).toContain("inner-model");
  const rows = await env.CATALOG.prepare("SELECT * FROM run_total WHERE thread_id = ? AND model = ?")
    .bind(id, "inner-model")
    .all<{ total_tokens: number; cost: number }>();
  expect(rows.results.map(({ total_tokens }) => total_tokens)).toEqual([22]);
});

it("A thread sends the start, the events and the end of a model that a tool runs, and replays the start and the end", async () => {
  const { id, text } = await consulting(async (state) => {
    const turn = await inner(state, twoAnswers, { tools: [tool] }).generate("Ask this.");
    return `It says: ${turn.response.text}`;
  });
  const following = await follow(id, { after: "0" });
  await converse(id, text);
  await following.until(isEnd);
  following.close();
  const { events } = following;
  const [start] = of(events, "subagent_start");
  const [end] = of(events, "subagent_end");
  const result = await toolMessage(id);
  const ids = { subagent_id: start?.subagent_id, message_id: result?.id, parent_tool_call_id: result?.tool_call_id };
  expect(start).toMatchObject({ ...ids, subagent_type: "inner-model", prompt: "Ask this." });
  expect(start?.subagent_id).not.toBe(result?.id);
  expect(end).toMatchObject({
    ...ids,
    subagent_type: "inner-model",
    success: true,
    result: "The answer.",
    usage: { total_tokens: 22 },
    tool_executions: 1,
  });
  expect(end?.cost).toBeCloseTo(2 * innerCost, 12);
  expect(result?.content).toBe("It says: The answer.");
  const forwarded = of(events, "subagent_event");
  for (const event of forwarded) expect(event).toMatchObject(ids);
  expect(forwarded.map(({ event }) => event["type"])).toEqual([
    "step_start",
    "message_start",
    "toolcall_start",
    "toolcall_end",
    "message_end",
    "tool_execution_start",
    "tool_execution_end",
    "message_start",
    "message_end",
    "step_end",
    "step_start",
    "message_start",
    "text_start",
    "text_end",
    "message_end",
    "step_end",
    "run_end",
  ]);
  const order = events.filter(({ type }) => type.startsWith("subagent") || type.startsWith("tool_execution"));
  expect(order.map(({ type }) => type).filter((type) => type !== "subagent_event")).toEqual([
    "tool_execution_start",
    "subagent_start",
    "subagent_end",
    "tool_execution_end",
  ]);

  const again = await follow(id, { after: "0" });
  await again.until(isEnd);
  again.close();
  const stored = [...of(again.events, "subagent_start"), ...of(again.events, "subagent_end")];
  const { prev: _, ...startSent } = start ?? { prev: 0 };
  const { prev: __, ...endSent } = end ?? { prev: 0 };
  expect(stored.map(({ prev: ___, ...event }) => event)).toEqual([startSent, endSent]);
  expect(of(again.events, "subagent_event")).toEqual([]);
});

it("The tokens of a sub-agent count to the run if the agent that executes it has { in: state }", async () => {
  const { id, text } = await consulting(async (state) => {
    const scripted = createProvider({ protocol: "test", name: "inner" });
    const usage = { input: 10, output: 1 };
    const helper = agent({ model: scripted("helper", { script: [{ text: "Here.", usage }] }) });
    const look = { ...tool, run: async () => (await helper.query("Where?")).response.text };
    const script = twoAnswers.map((answer) => ({ ...answer, usage }));
    const adviser = agent({ model: scripted("adviser", { script }), tools: [look], in: state });
    return (await adviser.query("Ask.")).response.text;
  });
  const [end] = of(await converse(id, text), "run_end");
  expect(end).toMatchObject({ status: "completed", usage: { total_tokens: 4 + 3 * 11 } });
  expect((await lastRunOf(id)).models).toEqual(expect.arrayContaining(["adviser", "helper"]));
});

it("The metadata of a tool's message has the totals of each model that the tool ran", async () => {
  const { id, text } = await consulting(async (state) => {
    await Promise.all([
      inner(state, [{ text: "One." }]).generate("First."),
      inner(state, [{ error: { status: 400, message: "No." } }])
        .generate("Second.")
        .catch(() => null),
    ]);
    return "Both.";
  });
  await converse(id, text);
  const { metadata } = (await toolMessage(id)) ?? {};
  const totals = (metadata?.["executions"] ?? []) as { success: boolean }[];
  expect(totals).toHaveLength(2);
  expect(totals.find(({ success }) => success)).toMatchObject({
    type: "inner-model",
    requests: 1,
    usage: { input: 10, output: 1 },
    cost: innerCost,
  });
  expect(totals.find(({ success }) => !success)).toMatchObject({ requests: 1 });
});

it("Each request of a model that a tool runs writes one row, whatever the length of the answer", async () => {
  const written = async (pieces: number) => {
    const { id, text } = await consulting(async (state) => {
      await inner(state, [{ text: Array.from({ length: pieces }, () => "word ") }]).generate("Ask.");
      return "Done.";
    });
    const before = (await stubOf(id).rows()).rowsWritten;
    await converse(id, text);
    const logs = await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc" } as never));
    const requests = logs.items.filter(({ data }) => data["execution"] !== undefined);
    return { rows: (await stubOf(id).rows()).rowsWritten - before, requests };
  };
  const [short, long] = [await written(2), await written(400)];
  expect(long.rows).toBe(short.rows);
  expect(long.requests).toHaveLength(1);
  expect(long.requests[0]).toMatchObject({ type: "llm_request", data: { model: "inner-model", step: 1 } });
});

it("A model that a tool runs without { in: state } is counted nowhere and sends no event", async () => {
  const { id, text } = await consulting(async () => {
    const turn = await inner(undefined, [{ text: "Alone." }]).generate("Ask.");
    return turn.response.text;
  });
  const events = await converse(id, text);
  expect(of(events, "run_end")[0]).toMatchObject({ usage: { total_tokens: 4 }, cost: ownCost });
  expect(events.filter(({ type }) => type.startsWith("subagent"))).toEqual([]);
  expect((await toolMessage(id))?.metadata).toEqual({});
});

it("A stop of the run aborts the model that its tool runs, and the model's end event reports a failure", async () => {
  const aborted = crossing<unknown>();
  const { id, text } = await consulting(async (state) => {
    const turn = inner(state, [{ text: "Slow.", delayMs: 3_600_000 }]).generate("Ask.");
    await turn.catch(aborted.resolve);
    return "never";
  });
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message(text), null));
  await following.until((event) => event.type === "subagent_event" && event.event["type"] === "step_start");
  await value(stubOf(id).call("stop", admin, null));
  expect(await aborted.promise).toMatchObject({ code: "CANCELLED" });
  expect(await following.until(isEnd)).toMatchObject({ status: "stopped" });
  following.close();
  expect(of(following.events, "subagent_end")).toMatchObject([{ success: false, error: "The request was aborted." }]);
});

it("A model is aborted when the call of its tool has a result, if the tool does not wait for the model", async () => {
  const aborted = crossing<unknown>();
  const { id, text } = await consulting((state) => {
    const turn = inner(state, [{ text: "Slow.", delayMs: 3_600_000 }]).generate("Ask.");
    void turn.catch(aborted.resolve);
    return Promise.resolve("At once.");
  });
  const events = await converse(id, text);
  expect(await aborted.promise).toMatchObject({ code: "CANCELLED" });
  expect(of(events, "subagent_end")).toMatchObject([{ success: false }]);
  expect(of(events, "run_end")[0]).toMatchObject({ status: "completed" });
});

it("A request of a model with { in: state } is refused with CANCELLED if the call of its tool has a result already", async () => {
  const later = crossing<ThreadState>();
  const { id, text } = await consulting((state) => {
    later.resolve(state);
    return Promise.resolve("At once.");
  });
  await converse(id, text);
  const error = await inner(await later.promise, [{ text: "Late." }])
    .generate("Ask.")
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "CANCELLED" });
});

it("If an object crashes while a tool runs, the requests of the tool's model are counted once after the recovery", async () => {
  const answered = crossing();
  const { id, text } = await consulting(async (state) => {
    await inner(state, [{ text: "Counted." }]).generate("Ask.");
    answered.resolve();
    await new Promise(() => {});
    return "never";
  });
  const following = await follow(id, { after: "0" });
  await value(stubOf(id).call("postMessage", admin, message(text), null));
  await answered.promise;
  await crash(id);
  await following.closed;
  const after = await follow(id, { after: "0" });
  expect(await after.until(isEnd)).toMatchObject({ status: "completed", usage: { input: 12, output: 3 } });
  after.close();
  expect((await toolMessage(id))?.result).toMatchObject({ status: "error" });
});

it("The request of a tool's model fails with QUOTA_EXCEEDED when the run has reached its limit of cost, and the model makes no more requests", async () => {
  const errors: unknown[] = [];
  const requests: number[] = [];
  const { id, text } = await consulting(async (state) => {
    const script = Array.from({ length: 9 }, (): TestTurn => ({ toolCalls: [{ name: "look_up", arguments: {} }] }));
    const model = inner(state, script, { tools: [{ ...tool, run: () => requests.push(1) }], params: {} });
    await model.generate("Ask.").catch((error: unknown) => errors.push(error));
    return "Spent.";
  });
  const limits = { cost: 1.5 * innerCost, on_limit: "end" as const };
  const events = await converse(id, text, { limits });
  expect(errors).toMatchObject([{ code: "QUOTA_EXCEEDED" }]);
  expect(requests.length).toBeLessThan(9);
  expect(of(events, "run_end")[0]).toMatchObject({ status: "limit" });
});

it("A model that a tool runs uses the API keys of the Worker, and its usage counts towards the run", async () => {
  const mark = `in-thread-${crypto.randomUUID()}`;
  const { id, text } = await consulting(async (state) => {
    const config = { baseUrl: `${inject("modelServer")}/v1`, headers: { "x-server-id": mark } };
    const turn = await llm({ model: anthropic("case:text"), config, in: state }).generate("Ask.");
    return turn.response.text;
  });
  const events = await converse(id, text);
  const sent = await (await fetch(`${inject("modelServer")}/__requests?id=${mark}`)).json<{ headers: object }[]>();
  expect(sent).toMatchObject([{ headers: { "x-api-key": "key-of-anthropic" } }]);
  expect(of(events, "run_end")[0]?.usage.total_tokens).toBeGreaterThan(4);
});

it("A model with { in: state } is refused in a tool that a client invokes outside of a run, with a message to leave { in: state } out", async () => {
  const { id, text } = await consulting(async (state) => {
    const error = await inner(state, [])
      .generate("Ask.")
      .catch((thrown: unknown) => thrown);
    return error instanceof Error ? error.message : "no error";
  });
  const result = await value(stubOf(id).call("invokeTool", admin, "consult", { work: text }));
  expect(result.result).toContain("leave it out");
});
