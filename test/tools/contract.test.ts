// The behaviour that all sources of tools have in common: events, messages, checks, hooks, approvals, time limits, and interrupted calls.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";

import { latch, waitFor, lastRunOf, messagesOf } from "../thread/team-driver.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value } from "../thread/thread-driver.ts";
import { Files } from "../thread/thread-files-client.ts";
import { scripts } from "../worker/definitions.ts";
import { loopHooks, withLoopHooks } from "../worker/loop-hooks.ts";
import { onPlace } from "../worker/places.ts";
import { sources } from "./contract-sources.ts";
import type { Call } from "./tool-caller.ts";

let removeHooks = () => {};
beforeAll(() => {
  removeHooks = withLoopHooks();
});
afterAll(() => removeHooks());

const isEnd = ({ type }: ThreadEvent) => type === "run_end";

/** Lets the model make these calls at a message, and then answer with the last result that it read. Returns the message. */
function script(...calls: Call[]): string {
  const word = `contract-${crypto.randomUUID()}`;
  const toolCalls = calls.map(([name, args]) => ({ name, arguments: args as never }));
  scripts.set(word, ({ step, messages }) =>
    step === 0 ? { toolCalls } : { text: `I read: ${messages.at(-1)?.content ?? ""}` },
  );
  return word;
}

/** Makes the calls in a run of a thread. */
async function play(id: string, ...calls: Call[]) {
  const events = await converse(id, script(...calls));
  const messages = (await messagesOf(id)).filter(({ role }) => role === "tool");
  return { events, messages, run: await lastRunOf(id) };
}

describe.each(sources)("%s", (_title, source) => {
  const [name, args] = source.valid;

  beforeEach(source.prepare);

  it("A call emits its start and its end, and the tool's message and the step's log contain the result", async () => {
    const id = await newThread(source.agent);
    const { events, messages, run } = await play(id, source.valid);
    expect(events.find((event) => event.type === "tool_execution_start")).toMatchObject({ tool_name: name, args });
    expect(events.find((event) => event.type === "tool_execution_end")).toMatchObject({
      tool_name: name,
      is_error: false,
      result: { status: "success", result: expect.stringContaining(source.result) as string },
    });
    expect(messages).toMatchObject([{ name, result: { result: expect.stringContaining(source.result) as string } }]);
    const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 1, order: "asc", type: "llm_request" }));
    expect(items[0]?.data["tools"]).toMatchObject([{ name }]);
    expect(run).toMatchObject({ status: "completed" });
  });

  it("If the arguments of a call do not match the schema, the call does not run, and the model reads the problem as an error", async () => {
    const id = await newThread(source.agent);
    const { messages, run } = await play(id, source.invalid);
    const problem = expect.stringContaining(source.problem) as string;
    expect(messages).toMatchObject([{ name: source.invalid[0], result: { status: "error", error: problem } }]);
    expect(run).toMatchObject({ status: "completed", text: problem });
  });

  it("A failed call has an error as its result, and the run continues", async () => {
    const id = await newThread(source.agent);
    const { messages, run } = await play(id, source.failing);
    expect(messages.map(({ result }) => result)).toMatchObject([
      { status: "error", error: expect.stringContaining(source.error) as string },
    ]);
    expect(run).toMatchObject({ status: "completed" });
  });

  it("Hooks change the arguments of a call, skip a call, and receive its result", async () => {
    const id = await newThread(source.agent);
    const results: string[] = [];
    loopHooks.set(id, {
      before_tool_execution: async () => ({ arguments: source.changed.args }),
      after_tool_execution: async (_state, _call, { result }) => void results.push(result ?? ""),
    });
    await play(id, source.valid);
    expect(results).toEqual([expect.stringContaining(source.changed.result)]);
    const skipped = await newThread(source.agent);
    loopHooks.set(skipped, { before_tool_execution: async () => false });
    const { messages, events } = await play(skipped, source.valid);
    expect(messages).toHaveLength(1);
    expect(JSON.stringify(messages)).not.toContain(source.result);
    expect(events.some(isEnd)).toBe(true);
  });
});

describe.each(sources.filter(([, { approved }]) => approved !== undefined))("%s", (_title, source) => {
  beforeEach(source.prepare);

  it("A call that needs an approval runs only after a person approves it, and a refused call does not run", async () => {
    for (const approved of [true, false]) {
      const { call: [called, given] = ["", {}], agent = source.agent } = source.approved ?? {};
      const id = await newThread(agent);
      const following = await follow(id, { after: "0" });
      await value(stubOf(id).call("postMessage", admin, message(script([called, given])), null));
      const rest = await following.until(({ type }) => type === "awaiting_tool_execution");
      const [pending] = rest.type === "awaiting_tool_execution" ? rest.tool_calls : [];
      expect(pending).toMatchObject({ name: called, kind: "approval", arguments: given });
      expect(following.events.some(({ type }) => type === "tool_execution_start")).toBe(false);
      const results = [{ tool_call_id: pending?.id ?? "", approved }];
      await value(stubOf(id).call("postToolResults", admin, { results }));
      await following.until(isEnd);
      following.close();
      const [answered] = (await messagesOf(id)).filter(({ role }) => role === "tool");
      expect(answered?.result?.status).toBe(approved ? "success" : "error");
    }
  });
});

const interrupted = sources.flatMap(([title, source]) =>
  source.interrupted.map((one) => [one.call[0], title, one.outcome, { ...source, ...one }] as const),
);

describe("a crash after a tool has run, before its result is stored", () => {
  afterEach(() => onPlace(null));

  it.each(interrupted)(
    "After a crash before its result is stored, a call of %s of %s is %s",
    async (_tool, _title, outcome, { call, prepare, agent }) => {
      prepare();
      const id = await newThread(agent);
      const files = new Files(id);
      await files.put("/given.txt", "given");
      const posted = latch();
      let ran = 0;
      onPlace(async ({ thread, name, state }) => {
        if (thread !== id || name !== "tool.finished") return;
        ran += 1;
        if (ran > 1) return;
        await posted.passed;
        state.abort("planned death: after the tool");
      });
      const following = await follow(id, { after: "0" });
      await value(stubOf(id).call("postMessage", admin, message(script(call)), null));
      posted.open();
      await following.closed;
      await waitFor(async () => (await lastRunOf(id)).status === "completed");
      const [{ result } = {}] = (await messagesOf(id)).filter(({ role }) => role === "tool");
      expect(result?.status, JSON.stringify(result)).toBe(outcome === "reported" ? "error" : "success");
      expect(ran).toBe(outcome === "repeated" ? 2 : 1);
      if (outcome === "reported") expect(result?.error).toContain("Whether it took effect is unknown");
      expect(await (await files.get("/given.txt")).text()).toBe(outcome === "found done" ? "edited" : "given");
    },
  );
});

const late = sources.flatMap(([title, { late: prepare }]) =>
  prepare === undefined ? [] : [[title, prepare] as const],
);

it.each(late)(
  "If a call of %s reaches its time limit, its result is an error, and the run continues",
  async (_title, prepare) => {
    const { agent, calls } = prepare();
    for (const [call, error] of calls) {
      const { messages, run } = await play(await newThread(agent), call);
      const [{ result } = {}] = messages;
      expect(result).toMatchObject({ status: "error", error: expect.stringContaining(error) as string });
      expect(run).toMatchObject({ status: "completed" });
    }
  },
);

describe.each(sources.filter(([, { endless }]) => endless !== undefined))("%s", (_title, source) => {
  beforeEach(source.prepare);

  it("If a crash interrupts a call, an error is reported to the model, and the call is not repeated", async () => {
    const endless = source.endless?.();
    const id = await newThread(source.agent);
    const following = await follow(id, { after: "0" });
    const call: Call = endless?.call ?? ["", {}];
    await value(stubOf(id).call("postMessage", admin, message(script(call)), null));
    await expect.poll(async () => endless?.begun(), { timeout: 100_000 }).toBe(1);
    await crash(id);
    await following.closed;
    const after = await follow(id, { after: "0" });
    expect(await after.until(isEnd)).toMatchObject({ status: "completed" });
    after.close();
    const [interrupted] = (await messagesOf(id)).filter(({ role }) => role === "tool");
    expect(interrupted?.result?.status).toBe("error");
    expect(await endless?.begun()).toBe(1);
  }, 120_000);
});
