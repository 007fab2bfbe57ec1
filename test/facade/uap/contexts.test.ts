// What strategies and tools of UAP receive: contexts of executions, models of the program, sessions; and a slow reader of a stream.

import { afterEach, expect, it, vi } from "vitest";

import type { ExecutionStrategy } from "#facade/uap/agent-contract.ts";
import { AgentState } from "#facade/uap/agent-state.ts";
import { loop, react } from "#facade/uap/strategy/built-in-strategy.ts";
import { agent } from "#facade/uap/uap-agent.ts";
import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/llm.ts";
import type { ToolContext } from "#facade/upp/tool-context.ts";
import { UserMessage } from "#facade/upp/upp-message.ts";
import type { Tool } from "#facade/upp/upp-tool.ts";

import { longAnswer } from "../support/long-answer.ts";
import { add, call, outline, rejection, tool } from "../support/scripted-llm.ts";
import { memoryStore } from "./support/recording-store.ts";
import { eventsOf, recordedScript, scripted, scriptedAgent, stepsOf } from "./support/scripted-agent.ts";

const uuid4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

afterEach(() => vi.restoreAllMocks());

it("A tool receives the model, the connection, the agent and the state of the execution that runs it", async () => {
  const contexts: ToolContext[] = [];
  const looks = tool("looks", (_params, context) => {
    contexts.push(context);
    return "seen";
  });
  const config = { headers: { "x-one": "1" } };
  const script = [{ toolCalls: [call("looks")] }, { text: "Done." }];
  const looking = scriptedAgent(script, { tools: [looks], config });
  const state = AgentState.initial();
  const parentContext = { agentId: "a", stateId: "s", toolCallId: "c", signal: new AbortController().signal };
  await looking.generate("Look.", state, { parentContext });
  const [context] = contexts;
  expect(context?.parentModel).toBe(looking.model);
  expect(context?.parentConfig).toBe(config);
  expect([context?.agentId, context?.stateId]).toEqual([looking.id, state.id]);
  expect(context?.parentContext).toEqual({ agentId: "a", stateId: "s" });
  expect(context?.signal).toBeInstanceOf(AbortSignal);
  expect(context?.toolCallId).toEqual(expect.any(String));
});

it("If a tool creates a copy of an agent with `model: context.parentModel`, the copy uses the model of the agent that called the tool", async () => {
  const helper = agent({ system: "You help." });
  const helps: Tool = {
    name: "help",
    description: "Helps.",
    parameters: { type: "object", properties: { task: { type: "string" } }, required: ["task"] },
    run: async (params, context) => {
      const effective = helper.model
        ? helper
        : agent({ ...helper, model: context.parentModel, config: context.parentConfig });
      return (await effective.query(String(params["task"]))).response.text;
    },
  };
  const script = ({ system, lastUser, step }: { system: string; lastUser: string; step: number }) => {
    if (system === "You help.") return { text: `Helped with ${lastUser}` };
    return step === 0 ? { toolCalls: [call("help", { task: "the task." })] } : { text: "Done." };
  };
  const { turn } = await scriptedAgent(script, { tools: [helps] }).generate("Go.", AgentState.initial());
  expect(turn.toolExecutions).toMatchObject([{ result: "Helped with the task." }]);
});

it("A custom strategy can execute other strategies, in generate and in a stream", async () => {
  const twice: ExecutionStrategy = {
    name: "twice",
    async execute(context) {
      const first = await react().execute(context);
      return loop().execute({ ...context, input: new UserMessage("Check that."), state: first.state });
    },
  };
  const answers = [
    { text: "Hm." },
    { text: "Three." },
    { toolCalls: [call("add", { a: 1, b: 2 })] },
    { text: "Right." },
  ];
  const made = () => scriptedAgent(recordedScript(answers).script, { tools: [add], execution: twice });
  const { turn, state } = await made().generate("Add.", AgentState.initial());
  expect(outline(turn.messages)).toEqual([
    "user: Check that.",
    'assistant: [add {"a":1,"b":2}]',
    "results: 3",
    "assistant: Right.",
  ]);
  expect(state.messages).toHaveLength(9);
  const stream = made().stream("Add.", AgentState.initial());
  expect(stepsOf(await eventsOf(stream))).toEqual([
    "1 step_start",
    "1 reasoning",
    "1 step_end",
    "1 step_start",
    "1 action",
    "1 observation",
    "1 step_end",
    "2 step_start",
    "2 step_end",
  ]);
  expect(outline((await stream.result).state.messages)).toEqual(outline(state.messages));
});

it("A built-in strategy can be executed with a context and an instance of llm that the program created", async () => {
  const model = scripted("scripted", { script: [{ toolCalls: [call("add", { a: 1, b: 2 })] }, { text: "Three." }] });
  const self = agent({ model });
  const steps: number[] = [];
  const { state } = await loop().execute({
    agent: self,
    llm: llm({ model, tools: [add] }),
    input: new UserMessage("Add."),
    state: AgentState.initial(),
    tools: [add],
    strategy: { onStepEnd: (step) => void steps.push(step) },
  });
  expect(steps).toEqual([1, 2]);
  expect(state.messages).toHaveLength(4);
});

it("The requests of an agent use its params and its config, and a sub-agent that inherits its model uses the config without the params", async () => {
  const bodies: string[] = [];
  const keys: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    bodies.push(init?.body as string);
    keys.push(new Headers(init?.headers).get("authorization"));
    const delta =
      bodies.length === 1
        ? { tool_calls: [{ index: 0, id: "call_1", function: { name: "help", arguments: "{}" } }] }
        : { content: "Done." };
    const chunk = {
      id: "1",
      choices: [{ index: 0, delta, finish_reason: bodies.length === 1 ? "tool_calls" : "stop" }],
    };
    return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
      headers: { "content-type": "text/event-stream" },
    });
  };
  const helper = agent({ system: "You help." });
  const help = tool("help", async () => (await helper.query("Task.")).response.text);
  const model = createProvider({
    protocol: "openai",
    baseUrl: "https://models.example/v1",
    apiKey: "the-providers-key",
  })("gpt-test");
  const config = { apiKey: "the-agents-key", fetch };
  const { turn } = await agent({ model, tools: [help], params: { seed: 7 }, config }).generate(
    "Go.",
    AgentState.initial(),
  );
  expect(turn.response.text).toBe("Done.");
  // The agent, its sub-agent, and the agent with the result of its tool.
  expect(keys).toEqual(Array.from({ length: 3 }, () => "Bearer the-agents-key"));
  expect(bodies.map((body) => (JSON.parse(body) as { seed?: number }).seed)).toEqual([7, undefined, 7]);
});

it("With modelOrder, the schema of each tool of an agent has the parameter _after", async () => {
  const received: string[] = [];
  for (const modelOrder of [true, false]) {
    const model = createProvider({
      protocol: "openai",
      apiKey: "the-providers-key",
      fetch: async (_url, init) => {
        received.push(init?.body as string);
        return new Response("{}", { status: 400 });
      },
    })("gpt-test");
    await rejection(agent({ model, tools: [add], modelOrder }).query("Go."));
  }
  expect(received.map((body) => body.includes("_after"))).toEqual([true, false]);
});

it("The requests of an agent use its options system and toolStrategy", async () => {
  const received: string[] = [];
  const script = ({ system, step }: { system: string; step: number }) => {
    received.push(system);
    return step === 0 ? { toolCalls: [call("add", { a: 1, b: 2 })] } : { text: "Three." };
  };
  const called: string[] = [];
  const adder = scriptedAgent(script, {
    tools: [add],
    system: "Be exact.",
    toolStrategy: {
      onToolCall: ({ name }) => void called.push(`call ${name}`),
      onAfterCall: (_tool, _params, result) => void called.push(`after ${String(result)}`),
    },
    strategy: { onAct: () => void called.push("act"), onObserve: () => void called.push("observe") },
  });
  await adder.query("Add.");
  expect(received).toEqual(["Be exact.", "Be exact."]);
  expect(called).toEqual(["act", "call add", "after 3", "observe"]);
});

it("The session id is the one in the options, else the one in the state, else a new UUIDv4 for each conversation", async () => {
  const { saved, store } = memoryStore();
  const script = () => ({ text: "Yes." });
  const named = scriptedAgent(script, { checkpoints: store, sessionId: "my-session" });
  const first = await named.generate("One.", AgentState.initial());
  expect(first.state.metadata["sessionId"]).toBe("my-session");
  const unnamed = scriptedAgent(script, { checkpoints: store });
  const json = await store.load("my-session");
  const second = await unnamed.generate("Two.", AgentState.fromJSON(json));
  expect(second.state.metadata).toEqual({ sessionId: "my-session", agentId: unnamed.id });
  const [one, other] = [
    await unnamed.ask("Three.", AgentState.initial()),
    await unnamed.ask("Four.", AgentState.initial()),
  ];
  const ids = [one, other].map(({ state }) => state.metadata["sessionId"]);
  expect(ids).toEqual([expect.stringMatching(uuid4), expect.stringMatching(uuid4)]);
  expect(ids[0]).not.toBe(ids[1]);
  expect(saved.map(({ sessionId }) => sessionId).slice(0, 2)).toEqual(["my-session", "my-session"]);
  const without = await scriptedAgent(script).generate("Five.", AgentState.initial());
  expect(without.state.metadata).toEqual({});
});

it("While a reader of an agent's events is slow, the rest of the answer is not read from the connection, and the reader receives all of it", async () => {
  const { model, sent } = longAnswer(3000);
  const stream = agent({ model }).stream("Go.", AgentState.initial());
  let [read, mostAhead] = [0, 0];
  for await (const event of stream) {
    if (event.source === "upp" && event.upp.type === "text_delta") read += 1;
    // Everything that can happen without a further read has happened after a few turns of the event loop.
    if (read % 1000 === 1)
      for (let turn = 0; turn < 300; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    mostAhead = Math.max(mostAhead, sent() - read);
  }
  expect(read).toBe(3000);
  expect(mostAhead).toBeLessThan(300);
  expect((await stream.result).turn.response.text).toHaveLength(3000);
});

it("An abort ends an execution whose reader has stopped reading", async () => {
  const { model } = longAnswer(3000);
  const aborted = new AbortController();
  const stream = agent({ model }).stream("Go.", AgentState.initial(), { signal: aborted.signal });
  const events = stream[Symbol.asyncIterator]();
  await events.next();
  aborted.abort();
  expect(await rejection(stream.result)).toMatchObject({ code: "CANCELLED" });
});

it("No listener remains on a signal after an execution has ended", async () => {
  const added = vi.spyOn(EventTarget.prototype, "addEventListener");
  const removed = vi.spyOn(EventTarget.prototype, "removeEventListener");
  const left = () =>
    added.mock.calls.flatMap(([, listener], at) => {
      const target = added.mock.contexts[at];
      const ended = removed.mock.calls.some(
        ([, one], call) => one === listener && removed.mock.contexts[call] === target,
      );
      return target instanceof AbortSignal && !ended ? [listener] : [];
    });
  const { signal } = new AbortController();
  const adder = () =>
    scriptedAgent([{ toolCalls: [call("add", { a: 1, b: 2 })] }, { text: "Three." }], { tools: [add] });
  await adder().generate("Add.", AgentState.initial(), { signal });
  expect(left()).toEqual([]);
  await eventsOf(adder().stream("Add.", AgentState.initial(), { signal }));
  expect(left()).toEqual([]);
});
