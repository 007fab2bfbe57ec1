// The project's hooks of runs, steps and calls in a running thread: when they are called, and what they change (decision 25: order of
// hooks).

import { afterAll, beforeAll, expect, it } from "vitest";

import type { TestRequest } from "#spec/index.ts";

import { crossing } from "../worker/crossing.ts";
import { scripts } from "../worker/definitions.ts";
import { loopHooks, withLoopHooks } from "../worker/loop-hooks.ts";
import type { LoopHookFunctions } from "../worker/loop-hooks.ts";
import { admin, converse, follow, newThread, stubOf, value } from "./thread-driver.ts";

let remove = () => {};
beforeAll(() => {
  remove = withLoopHooks();
});
afterAll(() => remove());

const page = { limit: 100, order: "asc" as const, include_silent: true };

/** A thread with hooks. */
async function threadWith(hooks: LoopHookFunctions, agent = "sequential"): Promise<string> {
  const id = await newThread(agent);
  loopHooks.set(id, hooks);
  return id;
}

/** Registers a script that calls tools in its first step and answers `done` in its second. Returns the requests that it received. */
function callsFirst(word: string, ...toolCalls: { name: string; arguments: object }[]): TestRequest[] {
  const requests: TestRequest[] = [];
  scripts.set(word, (request) => {
    requests.push(request);
    return request.step === 0 ? { toolCalls: toolCalls as never } : { text: "done" };
  });
  return requests;
}

const messagesOf = async (id: string) => (await value(stubOf(id).call("listMessages", admin, page))).items;
const hookLogs = async (id: string) =>
  (await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc", type: "hook" }))).items.map(
    ({ data }) => data,
  );

it("A run calls its hooks in the order of its steps and tool calls, each with the data of its step, call or update", async () => {
  const trace: string[] = [];
  const ended = crossing();
  callsFirst("ordered", { name: "stream", arguments: { parts: ["one ", "two"] } });
  const id = await threadWith({
    before_loop: async () => void trace.push("before_loop"),
    after_loop: async (_state, { status, totalTokens }) => {
      trace.push(`after_loop ${status} ${totalTokens > 0 ? "counted" : "free"}`);
      ended.resolve();
    },
    before_turn: async (_state, { step, depth }) => void trace.push(`before_turn ${step} ${depth}`),
    after_turn: async (_state, { step, status, messages }) => {
      trace.push(`after_turn ${step} ${status} ${messages.map(({ role, content }) => `${role}:${content}`).join()}`);
    },
    on_error: async () => void trace.push("on_error"),
    before_tool_execution: async (_state, call) => {
      trace.push(`before_tool ${call.function.name} ${call.function.arguments}`);
      return true;
    },
    after_tool_execution: async (_state, call, result) => {
      trace.push(`after_tool ${call.function.name} ${result.status} ${result.result}`);
    },
    before_tool_execution_update: (_state, update) => void trace.push(`before_update ${JSON.stringify(update)}`),
    after_tool_execution_update: (_state, { toolName }) => void trace.push(`after_update ${toolName}`),
  });
  const events = await converse(id, "ordered please");
  await ended.promise;
  const callId = events.flatMap((event) => (event.type === "tool_execution_start" ? [event.tool_call_id] : []))[0];
  const update = (delta: string) => JSON.stringify({ toolCallId: callId, toolName: "stream", delta });
  expect(trace).toEqual([
    "before_loop",
    "before_turn 1 0",
    `before_tool stream {"parts":["one ","two"]}`,
    `before_update ${update("one ")}`,
    "after_update stream",
    `before_update ${update("two")}`,
    "after_update stream",
    "after_tool stream success one two",
    "after_turn 1 completed assistant:null,tool:one two",
    "before_turn 2 0",
    "after_turn 2 completed assistant:done",
    "after_loop completed counted",
  ]);
  expect(await hookLogs(id)).toEqual([]);
});

it("If a hook before a run or a step returns false, the run ends with status stopped, before a request is made", async () => {
  for (const name of ["before_loop", "before_turn"] as const) {
    const requests: TestRequest[] = [];
    scripts.set(`never-${name}`, (request) => {
      requests.push(request);
      return { text: "done" };
    });
    const id = await threadWith({ [name]: async () => false });
    const events = await converse(id, `never-${name}`);
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "stopped", reason: "stopped_by_hook" });
    expect(events.some(({ type }) => type === "step_start")).toBe(false);
    expect(requests).toEqual([]);
    loopHooks.delete(id);
    expect((await converse(id, `never-${name}`)).at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  }
});

it("If the hook before a tool call returns false, that call is skipped and has an error result", async () => {
  callsFirst("skips", { name: "note", arguments: { text: "skipped" } }, { name: "note", arguments: { text: "kept" } });
  const id = await threadWith({
    before_tool_execution: async (_state, { function: { arguments: json } }) => !json.includes("skipped"),
  });
  await converse(id, "skips one");
  const results = (await messagesOf(id)).filter(({ role }) => role === "tool").map(({ content }) => content);
  expect(results).toEqual(["This call was skipped by a rule of this project, so it was not run.", "noted kept"]);
});

it("The tool, later hooks and every reader, live and on replay, receive the arguments as a hook changed them", async () => {
  callsFirst("changes", { name: "note", arguments: { text: "raw" } });
  const received: string[] = [];
  const id = await threadWith({
    before_tool_execution: async () => ({ arguments: { text: "changed" } }),
    after_tool_execution: async (_state, call) => void received.push(call.function.arguments),
  });
  const live = await converse(id, "changes it");
  const replayed = await follow(id, { after: "0" });
  await replayed.until(({ type }) => type === "run_end");
  replayed.close();
  for (const events of [live, replayed.events]) {
    const starts = events.filter(({ type }) => type === "tool_execution_start");
    expect(starts).toMatchObject([{ args: { text: "changed" } }]);
  }
  expect(received).toEqual([`{"text":"changed"}`]);
  const [, answer, result] = await messagesOf(id);
  expect([answer?.parts, result?.content]).toMatchObject([[{ arguments: { text: "raw" } }], "noted changed"]);
});

it("Changed arguments that do not fit the tool's schema give the call an error result, and the tool does not run", async () => {
  callsFirst("misfits", { name: "note", arguments: { text: "raw" } });
  const id = await threadWith({ before_tool_execution: async () => ({ arguments: { text: 7 } }) });
  await converse(id, "misfits it");
  expect((await messagesOf(id))[2]?.content).toContain("do not fit the tool's schema");
});

it("A hook can hide an update of a tool from clients, and the tool's result stays complete", async () => {
  callsFirst("hides", { name: "stream", arguments: { parts: ["open ", "hidden ", "end"] } });
  const id = await threadWith({
    before_tool_execution_update: (_state, update) => !("delta" in update && update.delta === "hidden "),
  });
  const following = await follow(id);
  await converse(id, "hides it");
  await following.until(({ type }) => type === "run_end");
  following.close();
  const deltas = following.events.flatMap((event) => (event.type === "tool_execution_delta" ? [event.delta] : []));
  expect(deltas.join("")).toBe("open end");
  expect((await messagesOf(id))[2]?.content).toBe("open hidden end");
});

it("The hook on_error is called once if a model fails permanently, before the step and the run end", async () => {
  scripts.set("collapses", () => ({ error: { kind: "auth", message: "no key" } }));
  const trace: string[] = [];
  const id = await threadWith({
    on_error: async (_state, { code, message, step }) => void trace.push(`${code} ${message} ${step}`),
    after_turn: async (_state, { status }) => void trace.push(`after_turn ${status}`),
  });
  expect((await converse(id, "collapses now")).at(-1)).toMatchObject({ type: "run_end", status: "error" });
  expect(trace).toEqual(["auth no key 1", "after_turn error"]);
});

it("Hooks that throw or return invalid values are logged, and the run continues as without them", async () => {
  const broken = () => {
    throw new Error("the hook broke");
  };
  callsFirst("survives", { name: "stream", arguments: { parts: ["one"] } });
  const id = await threadWith({
    before_loop: broken,
    after_turn: broken,
    before_turn: async () => "no" as never,
    before_tool_execution: async () => ({ arguments: "text" }) as never,
    after_tool_execution: broken,
    before_tool_execution_update: (() => Promise.reject(new Error("later"))) as never,
    after_tool_execution_update: broken,
    transform_context: async () => "none" as never,
    convert_to_llm: broken,
  });
  const events = await converse(id, "survives it");
  expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  expect((await messagesOf(id)).map(({ content }) => content)).toEqual(["survives it", null, "one", "done"]);
  const logged = (await hookLogs(id)).map(({ hook }) => hook);
  expect(new Set(logged)).toEqual(
    new Set([
      "after_tool_execution",
      "after_tool_execution_update",
      "after_turn",
      "before_loop",
      "before_tool_execution",
      "before_tool_execution_update",
      "before_turn",
      "convert_to_llm",
      "transform_context",
    ]),
  );
});

it("A hook that fails for every update of a tool writes one log row for each kind of failure in a run", async () => {
  const parts = Array.from({ length: 30 }, (_, at) => `part ${at} `);
  callsFirst("chatters", { name: "stream", arguments: { parts } });
  let updates = 0;
  const id = await threadWith({
    before_tool_execution_update: (() => Promise.reject(new Error("later"))) as never,
    after_tool_execution_update: () => {
      updates += 1;
      throw new Error(`the hook broke at ${updates}`);
    },
  });
  const events = await converse(id, "chatters on");
  expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
  expect(updates).toBe(30);
  const logged = (await hookLogs(id)).map(({ hook, problem }) => ({ hook, problem }));
  expect(logged).toHaveLength(3);
  expect(logged).toEqual(
    expect.arrayContaining([
      { hook: "after_tool_execution_update", problem: "the hook broke at 1" },
      { hook: "before_tool_execution_update", problem: "later" },
      {
        hook: "before_tool_execution_update",
        problem: "returned a promise, which has no effect: hooks of updates are synchronous",
      },
    ]),
  );
});

it("transform_context runs after filter_messages, and changes what a step sends but nothing that is stored", async () => {
  const requests = callsFirst("transforms", { name: "note", arguments: { text: "x" } });
  const id = await threadWith({
    transform_context: async (_state, messages) => [
      { ...messages[0], id: "", role: "user", content: "A rule first." } as never,
      ...messages.map((message) =>
        message.role === "user" ? { ...message, content: `${String(message.content)} (short)` } : message,
      ),
    ],
  });
  await converse(id, "transforms drop me");
  await converse(id, "transforms it");
  const sent = requests.map(({ messages }) => messages.map(({ role, content }) => `${role} ${String(content)}`));
  const kept = ["user A rule first.", "assistant echo: A rule first.", "user transforms it (short)"];
  expect(sent.map((messages) => messages.slice(0, 3))).toEqual([kept, kept]);
  expect(JSON.stringify(sent)).not.toContain("drop me");
  expect((await messagesOf(id))[0]?.content).toBe("transforms drop me");
  expect(await hookLogs(id)).toEqual([]);
});

it("convert_to_llm converts the messages of a request, and unchanged messages keep their calls and results", async () => {
  const requests = callsFirst("converts", { name: "note", arguments: { text: "x" } });
  const id = await threadWith({
    convert_to_llm: async (_state, messages) =>
      messages.map(({ role, content, tool_calls, tool_call_id }) => ({
        role,
        content: role === "user" ? `${String(content)}!` : content,
        tool_calls,
        ...(tool_call_id == null ? {} : { tool_call_id }),
      })),
  });
  await converse(id, "converts it");
  await converse(id, "converts again");
  const last = requests.at(-1)?.messages ?? [];
  expect(last.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "user", "assistant", "tool"]);
  expect(last[0]?.content).toBe("converts it!");
  expect(last[2]).toMatchObject({ content: "noted x" });
});
