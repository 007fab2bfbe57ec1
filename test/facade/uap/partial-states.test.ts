// The states of failed executions: `partialState` for errors of hooks, of middleware and of the program.

import { describe, expect, it } from "vitest";

import type { AgentOptions, GenerateResult } from "#facade/uap/agent-contract.ts";
import { AgentState } from "#facade/uap/agent-state.ts";
import { partialState } from "#facade/uap/partial-state.ts";
import { loop } from "#facade/uap/strategy/built-in-strategy.ts";

import { add, call, gate, outline, rejection } from "../support/scripted-llm.ts";
import { recordedScript, scriptedAgent } from "./support/scripted-agent.ts";

const answers = [{ toolCalls: [call("add", { a: 1, b: 2 })] }, { text: "Three." }];
const adder = (more: AgentOptions) => scriptedAgent(recordedScript(answers).script, { tools: [add], ...more });
const messagesOf = (error: unknown) => outline(partialState(error)?.messages ?? []);
const wrapping = (error: Error): never => {
  throw new Error("Wrapped.", { cause: error });
};

describe("an error object that several executions throw", () => {
  const limit = new Error("The budget is exceeded.");
  const limited = (onStepEnd: () => Promise<void>) => scriptedAgent([{ text: "Hello." }], { strategy: { onStepEnd } });

  it("If two concurrent executions throw the same error object, it has no state, so neither user receives the conversation of the other user", async () => {
    const both = gate();
    let waiting = 0;
    const onStepEnd = async () => {
      waiting += 1;
      if (waiting === 2) both.open();
      await both.passed;
      throw limit;
    };
    const secrets = ["The secret of Ada", "The secret of Bob"];
    const states = secrets.map(async (secret) => {
      const error = await rejection(limited(onStepEnd).query(secret));
      expect(error).toBe(limit);
      await Promise.resolve();
      return partialState(error);
    });
    expect(await Promise.all(states)).toEqual([undefined, undefined]);
  });

  it("If a second execution throws the error object of an earlier one, the object loses its state, also if the second execution fails before its first step", async () => {
    const thrown = new Error("Again.");
    const fail = () => {
      throw thrown;
    };
    const first = await rejection(scriptedAgent([{ text: "Hello." }], { strategy: { onStepEnd: fail } }).query("Ada"));
    expect(messagesOf(first)).toEqual(["user: Ada", "assistant: Hello."]);
    const second = scriptedAgent([], { middleware: [{ name: "guard", before: fail }] });
    expect(await rejection(second.query("Bob"))).toBe(thrown);
    expect(partialState(thrown)).toBeUndefined();
  });
});

describe("errors of hooks and middleware", () => {
  const failing = [...answers.slice(0, 1), { error: { status: 429, message: "Too many." } }];
  const known = ["user: Add.", 'assistant: [add {"a":1,"b":2}]', "results: 3"];

  it.each<[string, AgentOptions]>([
    ["onError of the hooks", { strategy: { onError: wrapping } }],
    [
      "onError of a middleware",
      {
        middleware: [
          { name: "outer", onError: () => undefined },
          { name: "wrapping", onError: (_context, error) => wrapping(error) },
        ],
      },
    ],
  ])(
    "If %s throws a second error in place of the execution's error, the second error has the state up to the failure",
    async (_place, more) => {
      const agent = scriptedAgent(recordedScript(failing).script, { tools: [add], ...more });
      const error = await rejection(agent.generate("Add.", AgentState.initial()));
      expect(error).toMatchObject({ message: "Wrapped.", cause: { code: "RATE_LIMITED" } });
      expect(messagesOf(error)).toEqual(known);
    },
  );

  it("If `after` of a middleware throws, the error has the complete state of the execution, with the changes of inner middleware", async () => {
    const middleware = [
      { name: "outer", after: () => wrapping(new Error("The store is closed.")) },
      {
        name: "inner",
        after: (_context: unknown, { turn, state }: GenerateResult) => ({
          turn,
          state: state.withMetadata("inner", 1),
        }),
      },
    ];
    const error = await rejection(adder({ middleware }).generate("Add.", AgentState.initial()));
    expect(messagesOf(error)).toEqual([...known, "assistant: Three."]);
    expect(partialState(error)?.metadata).toEqual({ inner: 1 });
  });

  it("An error already has its partial state when onError of an outer middleware is called", async () => {
    const received: string[][] = [];
    const middleware = [
      { name: "outer", onError: (_context: unknown, error: Error) => void received.push(messagesOf(error)) },
      { name: "inner", after: () => wrapping(new Error("The store is closed.")) },
    ];
    await rejection(adder({ middleware }).generate("Add.", AgentState.initial()));
    expect(received).toEqual([[...known, "assistant: Three."]]);
  });

  it("If `before` of a middleware throws, the error has no state, because the execution did not begin", async () => {
    const middleware = [{ name: "guard", before: () => wrapping(new Error("Not allowed.")) }];
    const error = await rejection(adder({ middleware }).query("Add."));
    expect(error).toMatchObject({ message: "Wrapped." });
    expect(partialState(error)).toBeUndefined();
  });
});

it.each<[string, AgentOptions, string[]]>([
  [
    "that exceeds toolStrategy.maxIterations",
    { toolStrategy: { maxIterations: 1 } },
    ["results: 3", 'assistant: [add {"a":3,"b":4}]'],
  ],
  [
    "whose hook throws after calls were left unexecuted",
    {
      execution: loop({ maxIterations: 0 }),
      strategy: {
        onStepEnd() {
          throw new Error("Full.");
        },
      },
    },
    [],
  ],
])("In the state of an execution %s, each call has a result", async (_case, options, between) => {
  const twice = [answers[0] ?? {}, { toolCalls: [call("add", { a: 3, b: 4 })] }, { text: "Seven." }];
  const error = await rejection(
    scriptedAgent(recordedScript(twice).script, { tools: [add], ...options }).query("Add."),
  );
  expect(messagesOf(error)).toEqual([
    "user: Add.",
    'assistant: [add {"a":1,"b":2}]',
    ...between,
    'results: failed "The call did not run, because the execution had ended."',
  ]);
});
