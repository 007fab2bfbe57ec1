// The state of an agent: its operations, and that no operation changes a state that exists.

import fc from "fast-check";
import { expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { AssistantMessage, UserMessage } from "#facade/upp/upp-message.ts";
import type { AnyMessage } from "#facade/upp/upp-message.ts";

import { anyOperation, anyState, anyTrace } from "./support/arbitrary-states.ts";

const uuid4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
/** Lists are compared by the ids of their messages. */
const aMessage = fc.uuid({ version: 4 }).map((id): AnyMessage => new UserMessage("Hello", { id }));
const ids = (messages: readonly AnyMessage[]) => messages.map(({ id }) => id);

it("The initial state has no messages, no steps, no metadata, no reasoning, no plan and no traces", () => {
  const state = AgentState.initial();
  expect(state).toMatchObject({ messages: [], step: 0, metadata: {}, reasoning: [] });
  expect([state.plan, state.subagentTraces]).toEqual([undefined, undefined]);
  expect(Object.keys(state).toSorted()).toEqual(["id", "messages", "metadata", "reasoning", "step"]);
});

it("Each state has a different UUIDv4 as its id, which does not change", () => {
  fc.assert(
    fc.property(fc.array(anyOperation, { minLength: 1, maxLength: 8 }), (operations) => {
      const states = [AgentState.initial()];
      for (const operation of operations) states.push(operation(states.at(-1) ?? AgentState.initial()));
      const all = states.map(({ id }) => id);
      expect(new Set(all).size).toBe(states.length);
      for (const id of all) expect(id).toMatch(uuid4);
      expect(states.map(({ id }) => id)).toEqual(all);
    }),
    { verbose: true },
  );
});

it("No operation changes an existing state, in any order of branching and reading", () => {
  const step = fc.record({ from: fc.nat(), operation: anyOperation, read: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const initial = AgentState.initial();
      const states = [{ state: initial, json: JSON.stringify(initial) }];
      for (const { from, operation, read } of steps) {
        const { state } = states[from % states.length] ?? { state: initial };
        const next = operation(state);
        states.push({ state: next, json: JSON.stringify(next) });
        if (read) expect(state.messages).toBe(state.messages);
      }
      for (const { state, json } of states) expect(JSON.stringify(state)).toBe(json);
    }),
    { verbose: true },
  );
});

it("The messages of a state are those of a plain list to which the same operations are applied", () => {
  const operation = fc.record({
    from: fc.nat(),
    kind: fc.constantFrom("one", "several", "context"),
    messages: fc.array(aMessage, { minLength: 1, maxLength: 3 }),
    read: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 30 }), (operations) => {
      const pairs: { state: AgentState; list: readonly AnyMessage[] }[] = [{ state: AgentState.initial(), list: [] }];
      for (const { from, kind, messages, read } of operations) {
        const { state, list } = pairs[from % pairs.length] ?? { state: AgentState.initial(), list: [] };
        if (read) expect(ids(state.messages)).toEqual(ids(list));
        if (kind === "context") pairs.push({ state: state.withContext(messages), list: messages });
        else if (kind === "several") pairs.push({ state: state.withMessages(messages), list: [...list, ...messages] });
        else for (const one of messages) pairs.push({ state: state.withMessage(one), list: [...list, one] });
      }
      for (const { state, list } of pairs.toReversed()) expect(ids(state.messages)).toEqual(ids(list));
      for (const { state, list } of pairs) expect(ids(state.messages)).toEqual(ids(list));
    }),
    { verbose: true },
  );
});

it("withMessages appends to the conversation, and withContext replaces it", () => {
  const state = AgentState.initial().withMessage(new UserMessage("Hello")).withMessage(new AssistantMessage("Hi"));
  const texts = ({ messages }: AgentState) => messages.map(({ text }) => text);
  expect(texts(state.withMessages([new UserMessage("Goodbye")]))).toEqual(["Hello", "Hi", "Goodbye"]);
  expect(texts(state.withContext([new UserMessage("Fresh start")]))).toEqual(["Fresh start"]);
  expect(texts(state)).toEqual(["Hello", "Hi"]);
});

it("An operation changes only its part of the state", () => {
  const state = AgentState.initial()
    .withMessage(new UserMessage("Hello"))
    .withStep(3)
    .withMetadata("budget", { tokens: 5 })
    .withMetadata("user", "ada")
    .withReasoning("First.")
    .withReasoning("Second.")
    .withPlan([{ id: "a", description: "Do it.", dependsOn: [], status: "pending" }]);
  expect(state).toMatchObject({
    messages: [expect.objectContaining({ text: "Hello" })],
    step: 3,
    metadata: { budget: { tokens: 5 }, user: "ada" },
    reasoning: ["First.", "Second."],
    plan: [{ id: "a", description: "Do it.", dependsOn: [], status: "pending" }],
  });
  expect(state.withMetadata("budget", null).metadata).toEqual({ user: "ada", budget: null });
  expect(state.withMetadata("budget", undefined).metadata).toEqual({ user: "ada" });
});

/** The path of the first object in a value that is not frozen. */
function unfrozen(value: unknown, path: string): string | null {
  if (typeof value !== "object" || value === null) return null;
  if (!Object.isFrozen(value)) return path;
  for (const [key, item] of Object.entries(value)) {
    const found = unfrozen(item, `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

it("A state and its list of messages are frozen, and its metadata, reasoning, plan and traces are deeply frozen", () => {
  fc.assert(
    fc.property(anyState, (live) => {
      for (const state of [live, AgentState.fromJSON(live.toJSON())]) {
        const { messages, metadata, reasoning, plan, subagentTraces } = state;
        expect([state, messages].every((part) => Object.isFrozen(part))).toBe(true);
        for (const [name, part] of Object.entries({ metadata, reasoning, plan, subagentTraces })) {
          expect(unfrozen(part, name)).toBeNull();
        }
      }
    }),
    { verbose: true },
  );
});

it("The metadata, the plan and the messages of a state do not change if the caller later changes the objects that it passed", () => {
  const budget = { tokens: [1] };
  const plan = [{ id: "a", description: "", dependsOn: ["b"], status: "pending" as const }];
  const messages = [new UserMessage("Hello")];
  const state = AgentState.initial().withMetadata("budget", budget).withPlan(plan).withContext(messages);
  budget.tokens.push(2);
  plan[0]?.dependsOn.push("c");
  messages.push(new UserMessage("Ghost"));
  expect(state.metadata).toEqual({ budget: { tokens: [1] } });
  expect(state.plan?.[0]?.dependsOn).toEqual(["b"]);
  expect(state.messages).toHaveLength(1);
});

it("Two states are unequal in a deep comparison if their ids or their messages differ", () => {
  const [one, other] = [AgentState.initial(), AgentState.initial()];
  expect(one).not.toEqual(other);
  expect(AgentState.fromJSON(one.toJSON())).toEqual(one);
  const changed = { ...one.withMessage(new UserMessage("Hello")).toJSON(), id: one.id };
  expect(AgentState.fromJSON(changed)).not.toEqual(one);
});

it("A state accepts messages of another copy of the package, because it checks the form of a message and not its class", () => {
  const foreign = { type: "user", id: "id-1", content: [], timestamp: new Date(0), toJSON: () => ({ type: "user" }) };
  const state = AgentState.initial().withMessage(foreign as unknown as UserMessage);
  expect(state.messages[0]).toBe(foreign);
});

it.each([
  ["a text", "Hello"],
  ["the JSON of a message", new UserMessage("Hello").toJSON()],
  ["an object of another type", { type: "system", toJSON: () => ({}) }],
  ["null", null],
])("A state refuses %s in place of a message, with the code INVALID_REQUEST", (_, value) => {
  const wrong = [new UserMessage("One"), value] as UserMessage[];
  const refused = expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining("messages.1") });
  expect(() => AgentState.initial().withMessages(wrong)).toThrow(refused);
  expect(() => AgentState.initial().withContext(wrong)).toThrow(refused);
});

const cyclic: Record<string, unknown> = {};
cyclic["self"] = { of: cyclic };

it.each([
  ["a date", { at: new Date(0) }, "metadata.key.at"],
  ["a function", [() => 1], "metadata.key.0"],
  ["a bigint", 1n, "metadata.key is"],
  ["infinity", { limit: Infinity }, "metadata.key.limit is Infinity"],
  ["not a number", Number.NaN, "metadata.key is NaN"],
  ["a map", new Map(), "metadata.key is"],
  ["undefined in a list", [undefined], "metadata.key.0 is"],
  ["a value that contains itself", cyclic, "metadata.key.self.of.self"],
])(
  "Metadata with %s is refused, and the error names the path, because the state could not be restored from JSON",
  (_, value, path) => {
    const state = AgentState.initial();
    expect(() => state.withMetadata("key", value)).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining(path) }),
    );
  },
);

it.each([-1, 1.5, Number.NaN, Infinity, "1"])(
  "The step %s is refused, because a step has to be a whole number of at least 0",
  (step) => {
    expect(() => AgentState.initial().withStep(step as number)).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining("step") }),
    );
  },
);

it("A plan, a reasoning or a trace with an invalid value is refused, and the error names its path", () => {
  const state = AgentState.initial();
  const step = { id: "a", description: "", dependsOn: [], status: "done" };
  expect(() => state.withPlan([step as never])).toThrow("plan.0.status");
  expect(() => state.withReasoning(5 as never)).toThrow("reasoning");
  const [trace] = fc.sample(anyTrace, 1);
  expect(() => state.withSubagentTrace({ ...trace, toolExecutions: [{}] } as never)).toThrow(
    "trace.toolExecutions.0.toolName",
  );
});

it("The traces of a state are those that were added, in order", () => {
  fc.assert(
    fc.property(anyState, fc.array(anyTrace, { minLength: 1, maxLength: 4 }), (state, traces) => {
      const next = traces.reduce((each, trace) => each.withSubagentTrace(trace), state);
      const all = [...(state.subagentTraces ?? []), ...traces];
      expect(JSON.stringify(next.subagentTraces)).toBe(JSON.stringify(all));
    }),
    { verbose: true },
  );
});

it("The states of a conversation share one array of messages: reading a longer state releases the array of a shorter one", () => {
  const short = AgentState.initial().withMessage(new UserMessage("One"));
  const read = short.messages;
  expect(short.messages).toBe(read);
  const long = short.withMessage(new UserMessage("Two"));
  expect(long.messages[0]).toBe(read[0]);
  // The shorter state has released its array, so it makes another one.
  expect(short.messages).not.toBe(read);
  expect(short.messages).toEqual(read);
});
