// Loops of `threadhold/loop` that a tool of a thread runs with `in: state`: usage and cost of the run, events, limits, stops and crashes.

import { beforeEach, expect, inject, it } from "vitest";

import { agentLoop, agentLoopContinue, BasicAgent, createTool, ModelConfig, userMessage } from "#facade/phi/index.ts";
import type { AgentContext, AgentLoopConfig, AgentMessage } from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import type { MockResponse } from "#facade/phi/provider/mock-provider.ts";
import type { ThreadState } from "#spec/index.ts";

import { crossing } from "../worker/crossing.ts";
import { innerCost } from "../worker/executed.ts";
import { allow, resetLimits } from "../worker/limited.ts";
import { toolEffects, scriptedAnswers } from "../worker/team.ts";
import { consulting, of, ownCost, toolMessage } from "./consult-driver.ts";
import { usage as ownUsage } from "./limit-driver.ts";
import { resetAgents, isEnd, lastRunOf } from "./team-driver.ts";
import { admin, converse, crash, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

beforeEach(() => {
  resetAgents();
  resetLimits();
});

/** A model at the prices of `innerCost`. Its name is not its id. */
const model = ModelConfig.from({
  ...ModelConfig.anthropic("inner-model", "The inner model", "key"),
  cost: { input_per_million: 100, output_per_million: 1000 },
});

const usage = { input: 10, output: 1 };

const look = createTool({
  name: "look_up",
  description: "Looks something up.",
  parameters: { type: "object" },
  execute: () => "found",
});

const calling: MockResponse = { tool_calls: [{ name: "look_up", arguments: {} }], usage };
const answering: MockResponse = { text: "The answer.", usage };
/** An answer that begins never. */
const slow: MockResponse = { text: "Slow.", begins_after: new Promise(() => {}) };

/** The options of a loop in a tool. */
function config(state: ThreadState, responses: readonly MockResponse[]): AgentLoopConfig {
  return { modelConfig: model, providerOverride: new MockProvider(responses, { strict: true }), in: state };
}

/** An agent in a tool. */
function helper(state: ThreadState, responses: readonly MockResponse[]): BasicAgent {
  const provider = new MockProvider(responses, { strict: true });
  return new BasicAgent(model).withProviderOverride(provider).withTools([look]).withIn(state);
}

/** Ignores the events of a loop. */
const tx = { send: () => {} };

const context = (more: Partial<AgentContext> = {}): AgentContext => ({
  system_prompt: "",
  messages: [],
  tools: [look],
  ...more,
});

/** The text or the error of the last message. */
function last(messages: readonly AgentMessage[]): string {
  const message = messages.at(-1);
  if (message?.role !== "assistant") return message?.role ?? "nothing";
  const text = message.content.map((block) => (block.type === "text" ? block.text : block.type)).join();
  return message.error_message ?? `${message.stop_reason}: ${text}`;
}

it("The tokens and the cost of an agent of threadhold/loop with withIn(state) count to the run and its thread, over two prompts", async () => {
  const { id, text } = await consulting(async (state) => {
    const agent = helper(state, [calling, answering, { text: "Again.", usage }]);
    await agent.prompt("Ask.").done;
    return last(await agent.prompt("And now?").done);
  });
  const [end] = of(await converse(id, text), "run_end");
  expect(end).toMatchObject({ status: "completed", usage: { input: 32, output: 5, total_tokens: 37 } });
  expect(end?.cost).toBeCloseTo(ownCost + 3 * innerCost, 12);
  const thread = await value(stubOf(id).call("describe", admin));
  expect(thread.usage.total_tokens).toBe(37);
  // The usage report of a thread is by the ids of models, as for `llm()`.
  expect((await lastRunOf(id)).models).toContain("inner-model");
  const message = await toolMessage(id);
  expect(message?.content).toBe("stop: Again.");
  expect(message?.metadata["executions"]).toMatchObject([
    { type: "inner-model", success: true, requests: 2, usage: { input: 20, output: 2 } },
    { type: "inner-model", success: true, requests: 1, usage: { input: 10, output: 1 } },
  ]);
});

it("A thread sends the start, the events and the end of a loop in its tool, also of one that continues, and each request has one log row", async () => {
  const { id, text } = await consulting(async (state) => {
    const own = context();
    await agentLoop([userMessage("Ask this."), userMessage("And this.")], own, config(state, [calling, answering]), tx);
    own.messages.push(userMessage("More."));
    const named = { ...config(state, [answering]), configId: "adviser" };
    return last(await agentLoopContinue(own, named, tx));
  });
  const following = await follow(id, { after: "0" });
  await converse(id, text);
  await following.until(isEnd);
  following.close();
  const starts = of(following.events, "subagent_start");
  expect(starts).toMatchObject([
    { subagent_type: "inner-model", prompt: "Ask this.\n\nAnd this." },
    { subagent_type: "adviser", prompt: "" },
  ]);
  const result = { success: true, result: "The answer." };
  expect(of(following.events, "subagent_end")).toMatchObject([
    { ...result, tool_executions: 1, usage: { total_tokens: 22 } },
    { ...result, tool_executions: 0, usage: { total_tokens: 11 } },
  ]);
  const first = of(following.events, "subagent_event").filter(
    ({ subagent_id }) => subagent_id === starts[0]?.subagent_id,
  );
  expect(first.map(({ event }) => event["type"])).toEqual([
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
  const logs = await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc" } as never));
  const requests = logs.items.filter(({ data }) => data["execution"] !== undefined);
  expect(requests.map(({ type, data }) => [type, data["model"], data["stop_reason"]])).toEqual([
    ["llm_request", "inner-model", "tool_calls"],
    ["llm_request", "inner-model", "stop"],
    ["llm_request", "inner-model", "stop"],
  ]);
});

it("A loop in a tool without `in` is counted nowhere and sends no event", async () => {
  const { id, text } = await consulting(async (state) => {
    const { in: _state, ...alone } = config(state, [answering]);
    return last(await agentLoop([userMessage("Ask.")], context(), alone, tx));
  });
  const events = await converse(id, text);
  expect(of(events, "run_end")[0]).toMatchObject({ usage: { total_tokens: 4 }, cost: ownCost });
  expect(events.filter(({ type }) => type.startsWith("subagent"))).toEqual([]);
  expect((await toolMessage(id))?.content).toBe("stop: The answer.");
});

it.each([
  ["a request", [slow], "step_start", "aborted: "],
  ["a call", [calling], "tool_execution_start", "toolResult"],
] as const)(
  "A stop of the run cancels %s of a loop in its tool, and the loop's end event reports a failure",
  async (_name, responses, begun, end) => {
    const ended = crossing<string>();
    const wait = createTool({
      name: "look_up",
      description: "Waits until it is cancelled.",
      parameters: { type: "object" },
      execute: (_params, { cancel }) =>
        new Promise((resolve) => cancel.signal.addEventListener("abort", () => resolve("cancelled"))),
    });
    const { id, text } = await consulting(async (state) => {
      ended.resolve(last(await helper(state, responses).withTools([wait]).prompt("Ask.").done));
      return "never";
    });
    const following = await follow(id, { after: "0" });
    await value(stubOf(id).call("postMessage", admin, message(text), null));
    await following.until((event) => event.type === "subagent_event" && event.event["type"] === begun);
    await value(stubOf(id).call("stop", admin, null));
    expect(await ended.promise).toBe(end);
    expect(await following.until(isEnd)).toMatchObject({ status: "stopped" });
    following.close();
    expect(of(following.events, "subagent_end")).toMatchObject([{ success: false, error: "The loop was cancelled." }]);
  },
);

it("A loop is cancelled when the call of its tool has a result, and a loop that begins later sends nothing", async () => {
  const ended = crossing<string>();
  const later = crossing<ThreadState>();
  const { id, text } = await consulting((state) => {
    void helper(state, [slow])
      .prompt("Ask.")
      .done.then((messages) => ended.resolve(last(messages)));
    later.resolve(state);
    return Promise.resolve("At once.");
  });
  const events = await converse(id, text);
  expect(await ended.promise).toBe("aborted: ");
  expect(of(events, "subagent_end")).toMatchObject([{ success: false }]);
  expect(of(events, "run_end")[0]).toMatchObject({ status: "completed", usage: { total_tokens: 4 } });
  const provider = new MockProvider([answering]);
  const late = { ...config(await later.promise, []), providerOverride: provider };
  expect(await agentLoop([userMessage("Late.")], context(), late, tx)).toMatchObject([{ role: "user" }]);
  expect(provider.requests).toEqual([]);
});

it("A request of a loop that would exceed the run's limit of cost fails with the limit's name, and the loop ends", async () => {
  const errors: string[] = [];
  const { id, text } = await consulting(async (state) => {
    const agent = helper(
      state,
      Array.from({ length: 9 }, () => calling),
    );
    errors.push(last(await agent.prompt("Ask.").done));
    return "Spent.";
  });
  const limits = { cost: 1.5 * innerCost, on_limit: "end" as const };
  const events = await converse(id, text, { limits });
  expect(errors).toEqual(["The thread's run has reached its limit: max_cost."]);
  expect(of(events, "subagent_end")).toMatchObject([{ success: false, error: errors[0] }]);
  expect(of(events, "run_end")[0]).toMatchObject({ status: "limit" });
});

it("LIMIT30 The requests of loops in tools count toward the ceiling of steps, and one beyond it is refused", async () => {
  allow({ steps: 5 });
  const errors: string[] = [];
  const sent: MockProvider[] = [];
  toolEffects.set("ask", async (state) => {
    const provider = new MockProvider(Array.from({ length: 9 }, () => calling));
    sent.push(provider);
    errors.push(last(await helper(state, []).withProviderOverride(provider).prompt("Ask.").done));
  });
  scriptedAnswers.set("boss", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "act", arguments: { key: "ask" } }], usage: ownUsage } : { text: "done" },
  );
  const events = await converse(await newThread("capped"), "go");
  expect(events.at(-1)).toMatchObject({ type: "run_end", status: "limit", reason: "max_steps" });
  expect(errors).toEqual(["The thread's run has reached its limit: max_steps."]);
  expect(sent.map(({ requests }) => requests.length)).toEqual([4]);
});

it("If an object crashes while a tool runs, the requests of the tool's loop are counted once after the recovery", async () => {
  const answered = crossing();
  const { id, text } = await consulting(async (state) => {
    await agentLoop([userMessage("Ask.")], context(), config(state, [answering]), tx);
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
});

it("A loop with `in` uses the API keys of the Worker, and the usage that the provider reports counts to the run", async () => {
  const mark = `loop-in-thread-${crypto.randomUUID()}`;
  const { id, text } = await consulting(async (state) => {
    const fields = { base_url: `${inject("modelServer")}/v1`, headers: { "x-server-id": mark } };
    const agent = new BasicAgent(ModelConfig.anthropic("case:text", "Claude", fields)).withIn(state);
    return last(await agent.prompt("Ask.").done);
  });
  const events = await converse(id, text);
  expect((await toolMessage(id))?.content).toBe("stop: Hello there, how can I help?");
  const sent = await (await fetch(`${inject("modelServer")}/__requests?id=${mark}`)).json<{ headers: object }[]>();
  expect(sent).toMatchObject([{ headers: { "x-api-key": "key-of-anthropic" } }]);
  expect(of(events, "run_end")[0]?.usage.total_tokens).toBe(4 + 20);
});

it("The state of a call without a run, of a hook or of anything else is refused by agentLoop and by withIn, with a message to leave it out", async () => {
  const { id, text } = await consulting(async (state) => {
    const provider = new MockProvider([answering]);
    const options = { ...config(state, []), providerOverride: provider };
    const refused = agentLoop([userMessage("Ask.")], context(), options, tx);
    const error = await refused.catch((thrown: unknown) => thrown);
    return `${error instanceof Error ? `${error.name}: ${error.message}` : "No error."} ${String(provider.requests.length)}`;
  });
  const result = await value(stubOf(id).call("invokeTool", admin, "consult", { work: text }));
  expect(result.result).toMatch(/^LoopError: The option `in` takes the state .* leave it out.* 0$/);
  expect(() => new BasicAgent(model).withIn({} as ThreadState)).toThrow("leave it out");
  expect(() => new BasicAgent(model).withIn(null as never)).toThrow("The option `in` is null.");
});
