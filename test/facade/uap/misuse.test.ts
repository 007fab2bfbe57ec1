// The likeliest mistakes of a program in JavaScript: values that an agent refuses, with an error that names the place and the fix.

import { describe, expect, it } from "vitest";

import type { AgentOptions, ExecutionContext } from "#facade/uap/agent-contract.ts";
import { AgentState } from "#facade/uap/agent-state.ts";
import { logging } from "#facade/uap/middleware/logging.ts";
import { react } from "#facade/uap/strategy/built-in-strategy.ts";
import { agent } from "#facade/uap/uap-agent.ts";
import { Thread } from "#facade/upp/upp-thread.ts";
import type { ToolCall } from "#facade/upp/upp-tool.ts";

import { add, call, outline, rejection, tool } from "../support/scripted-llm.ts";
import { memoryStore } from "./support/recording-store.ts";
import { eventsOf, scriptedAgent } from "./support/scripted-agent.ts";

/** A value that the types refuse. */
const untyped = <T>(value: unknown): T => value as T;

describe("states", () => {
  const saved: unknown = JSON.parse(JSON.stringify(AgentState.initial()));

  it.each<[string, unknown, string]>([
    ["a missing state", undefined, "The state is missing. Use AgentState.initial()"],
    ["null", null, "The state is not an AgentState"],
    ["the JSON of a state", saved, "restore JSON with AgentState.fromJSON first"],
  ])("An agent refuses %s, in generate, ask and stream", async (_name, state, message) => {
    const given = scriptedAgent([]);
    const refused = { code: "INVALID_REQUEST", message: expect.stringContaining(message) };
    expect(await rejection(given.generate("Continue.", untyped(state)))).toMatchObject(refused);
    expect(await rejection(given.ask("Continue.", untyped(state)))).toMatchObject(refused);
    const stream = given.stream("Continue.", untyped(state));
    expect(await rejection(stream.result)).toMatchObject(refused);
    expect(await rejection(eventsOf(stream))).toMatchObject(refused);
  });
});

describe("results of strategies and hooks", () => {
  it.each<[string, (context: ExecutionContext) => Promise<unknown>]>([
    ["a turn", ({ llm, input }) => llm.generate([], input)],
    ["a turn without a state", async ({ llm, input }) => ({ turn: await llm.generate([], input) })],
    [
      "a turn with the JSON of a state",
      async ({ llm, input, state }) => ({ turn: await llm.generate([], input), state: state.toJSON() }),
    ],
    ["null in place of a turn", async ({ state }) => ({ turn: null, state })],
    ["nothing", async () => undefined],
  ])(
    "The agent refuses %s as the result of a custom strategy, with and without checkpoints",
    async (_name, execute) => {
      for (const more of [{}, { checkpoints: memoryStore().store }]) {
        const execution = { name: "mine", execute: untyped<(context: ExecutionContext) => Promise<never>>(execute) };
        const given = scriptedAgent(() => ({ text: "Yes." }), { execution, ...more });
        const refused = {
          code: "INVALID_REQUEST",
          message: 'The strategy "mine" returned no result. Return { turn, state }, with a Turn and an AgentState.',
        };
        expect(await rejection(given.generate("Go.", AgentState.initial()))).toMatchObject(refused);
        expect(await rejection(given.stream("Go.", AgentState.initial()).result)).toMatchObject(refused);
      }
    },
  );

  it.each<[string, AgentOptions]>([
    ["the agent's hooks", { strategy: { onError: () => untyped(1) } }],
    ['the middleware "guard"', { middleware: [{ name: "guard", onError: () => untyped(1) }] }],
  ])(
    "The agent refuses a number that onError of %s returns, and the refusal has the failure of the execution as its cause",
    async (place, more) => {
      const given = scriptedAgent([{ error: { status: 429, message: "Too many." } }], more);
      const refused = {
        code: "INVALID_REQUEST",
        message: `onError of ${place} returned no result. Return { turn, state }, with a Turn and an AgentState, or nothing.`,
        cause: { code: "RATE_LIMITED" },
      };
      expect(await rejection(given.query("Go."))).toMatchObject(refused);
      expect(await rejection(given.stream("Go.", AgentState.initial()).result)).toMatchObject(refused);
    },
  );

  it.each<[string, AgentOptions["middleware"]]>([
    ["a result of nulls from after", [{ name: "guard", after: () => untyped({ turn: null, state: null }) }]],
    ["a context without a state", [{ name: "guard", before: (context) => ({ ...context, state: untyped(null) }) }]],
    [
      "a context with JSON",
      [{ name: "guard", before: (context) => ({ ...context, state: untyped(context.state.toJSON()) }) }],
    ],
  ])("The agent refuses %s, and the refusal names the middleware", async (_name, middleware) => {
    const error = await rejection(scriptedAgent([{ text: "Yes." }], { middleware }).query("Go."));
    expect(error).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining('the middleware "guard"'),
    });
  });
});

describe("options of an agent", () => {
  it.each<[string, unknown, string]>([
    ["no options", undefined, "agent needs options"],
    [
      "a middleware that was not called",
      { middleware: [logging] },
      "middleware.0 has no functions before, after or onError",
    ],
    ["a middleware without functions", { middleware: [logging(), { name: "x" }] }, "middleware.1 has no functions"],
    ["a middleware with a text", { middleware: [{ name: "x", before: "log" }] }, "middleware.0 has no functions"],
    ["a middleware that is not in a list", { middleware: logging() }, "middleware has to be a list"],
    ["a strategy that was not called", { execution: react }, "execution has no function execute"],
    ["the name of a strategy", { execution: "react" }, "execution has no function execute"],
    ["a store without save", { checkpoints: {} }, "checkpoints has no function save"],
    ["an empty session id", { sessionId: "", checkpoints: memoryStore().store }, "The id of a session"],
    ["a number as the session id", { sessionId: 5 }, "The id of a session"],
    ["a tool that is not in a list", { tools: add }, "tools has to be a list"],
    ["a controller as the signal", { signal: new AbortController() }, "use its property signal"],
  ])("An agent with %s is refused when it is created", (_name, options, message) => {
    expect(() => agent(untyped(options))).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining(message) }),
    );
  });

  it("An AbortController in place of the signal of an execution is refused", async () => {
    const running = scriptedAgent([]).generate("Go.", AgentState.initial(), { signal: untyped(new AbortController()) });
    expect(await rejection(running)).toMatchObject({ message: expect.stringContaining("use its property signal") });
  });

  it("An empty session id in the metadata of a state is refused before the first request, because no save could succeed", async () => {
    const given = scriptedAgent([], { checkpoints: memoryStore().store });
    const state = AgentState.initial().withMetadata("sessionId", "");
    expect(await rejection(given.generate("Go.", state))).toMatchObject({
      message: expect.stringContaining("The id of a session"),
    });
  });

  it("The types refuse a middleware that was not called, and accept options that are undefined and hooks that return a value", () => {
    // @ts-expect-error -- `logging` is the function that creates the middleware.
    const wrong: AgentOptions = { middleware: [logging] };
    const [maybe, steps]: [string | undefined, number[]] = [undefined, []];
    const right: AgentOptions = {
      system: maybe,
      params: undefined,
      signal: undefined,
      toolStrategy: undefined,
      structure: undefined,
      strategy: { onStepStart: (step) => steps.push(step), onComplete: ({ state }) => steps.push(state.step) },
    };
    expect(() => agent(wrong)).toThrow("middleware.0");
    expect(agent(right).system).toBeUndefined();
  });

  it("The strategy react refuses a reasoningPrompt that is no text", () => {
    expect(() => react({ reasoningPrompt: untyped(5) })).toThrow(
      "reasoningPrompt of react() has to be a text; it is 5.",
    );
  });
});

it.each<[string, (state: AgentState) => unknown, string]>([
  ["a thread as the messages", (state) => state.withMessages(untyped(new Thread())), "use thread.toMessages()"],
  ["no messages", (state) => state.withMessages(untyped(undefined)), "have to be a list"],
  [
    "a text as the step",
    (state) => state.withStep(untyped("3")),
    'step has to be a whole number of at least 0; it is "3".',
  ],
  ["a number as the reasoning", (state) => state.withReasoning(untyped(3)), "reasoning has to be a text; it is 3."],
])("A state refuses %s", (_name, change, message) => {
  expect(() => change(AgentState.initial())).toThrow(
    expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining(message) }),
  );
});

it("A change of the calls that onAct receives changes neither the arguments of the tool nor the messages and events", async () => {
  const script = [{ toolCalls: [call("add", { a: 1, b: 2, list: [1] })] }, { text: "Three." }];
  const received: unknown[] = [];
  const onAct = (_step: number, calls: readonly ToolCall[]) => {
    const args = untyped<{ a: number; list: number[] }>(calls[0]?.arguments);
    args.a = 100;
    args.list.push(2);
  };
  const adds = tool("add", (params) => {
    received.push(params);
    return "done";
  });
  const stream = scriptedAgent(script, { tools: [adds], strategy: { onAct } }).stream("Go.", AgentState.initial());
  const events = await eventsOf(stream);
  const { turn, state } = await stream.result;
  const sent = { a: 1, b: 2, list: [1] };
  expect(received).toEqual([sent]);
  const action = events.flatMap((event) =>
    event.source === "uap" && event.uap.type === "action" ? [event.uap.data] : [],
  );
  expect(action).toMatchObject([{ toolCalls: [{ arguments: sent }] }]);
  expect(turn.toolExecutions).toMatchObject([{ arguments: sent }]);
  expect(outline(state.messages)[1]).toBe(`assistant: [add ${JSON.stringify(sent)}]`);
});
