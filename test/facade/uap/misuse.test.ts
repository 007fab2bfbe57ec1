// The likeliest mistakes of a program in JavaScript: values that an agent refuses, with an error that names the place and the fix.

import { describe, expect, it } from "vitest";

import type { AgentOptions, ExecutionContext } from "#facade/uap/agent-contract.ts";
import { AgentState } from "#facade/uap/agent-state.ts";

import { rejection } from "../support/scripted-llm.ts";
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
