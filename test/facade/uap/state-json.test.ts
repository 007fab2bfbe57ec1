// The JSON of a state: what survives, and which values are refused.

import fc from "fast-check";
import { expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { AssistantMessage, ToolResultMessage, UserMessage } from "#facade/upp/upp-message.ts";

import { anyState } from "./support/arbitrary-states.ts";
import { scriptedAgent } from "./support/scripted-agent.ts";

it("A state keeps its id, its messages with their ids, times and bytes, and all other parts when it is converted to JSON and back", () => {
  fc.assert(
    fc.property(anyState, (state) => {
      const json = JSON.stringify(state);
      const restored = AgentState.fromJSON(JSON.parse(json));
      expect(restored).toEqual(state);
      expect(JSON.stringify(restored)).toBe(json);
      // A store in memory may return the same value.
      expect(JSON.stringify(AgentState.fromJSON(state.toJSON()))).toBe(json);
    }),
    { verbose: true, numRuns: 60 },
  );
});

it("Operations on a restored state have the same results as on the original, and later changes of the JSON do not change the restored state", () => {
  const live = AgentState.initial()
    .withMessage(new UserMessage("Hello"))
    .withMetadata("a", { b: [1] });
  const json = JSON.parse(JSON.stringify(live)) as { metadata: { a: { b: number[] } }; messages: unknown[] };
  const restored = AgentState.fromJSON(json);
  json.metadata.a.b.push(2);
  json.messages.length = 0;
  const next = restored.withMessage(new AssistantMessage("Hi")).withStep(restored.step + 1);
  expect(next.messages.map(({ text }) => text)).toEqual(["Hello", "Hi"]);
  expect([next.step, next.metadata, next.id === restored.id]).toEqual([1, { a: { b: [1] } }, false]);
});

it("A state can be restored if it contains the result of a tool that returned undefined", async () => {
  const tool = { name: "wait", description: "Waits.", parameters: { type: "object" as const }, run: () => undefined };
  const script = [{ toolCalls: [{ name: "wait", arguments: {} }] }, { text: "Done." }];
  const { state } = await scriptedAgent(script, { tools: [tool] }).generate("Wait.", AgentState.initial());
  expect(state.messages.map(({ type }) => type)).toEqual(["user", "assistant", "tool_result", "assistant"]);
  expect(AgentState.fromJSON(JSON.parse(JSON.stringify(state)))).toEqual(state);
});

it("The JSON of a state has the version of UAP, times in ISO 8601 and bytes in base64", () => {
  const source = { type: "bytes" as const, data: new Uint8Array([1, 2, 255]) };
  const message = new UserMessage([{ type: "image", source, mimeType: "image/png" }], { timestamp: new Date(0) });
  const json = AgentState.initial().withMessage(message).toJSON();
  expect(json.version).toBe("1.0.0");
  expect(json.messages[0]).toMatchObject({
    timestamp: "1970-01-01T00:00:00.000Z",
    content: [{ source: { type: "bytes", data: "AQL/" } }],
  });
  expect(json).not.toHaveProperty("plan");
  expect(json).not.toHaveProperty("subagentTraces");
});

const valid = () => AgentState.initial().withMessage(new UserMessage("Hello")).toJSON();

it.each(["1.0.0", "1.0.1", "1.7.0", "1"])(
  "A state of version %s is read, because its major version is 1",
  (version) => {
    expect(AgentState.fromJSON({ ...valid(), version }).messages).toHaveLength(1);
  },
);

it.each(["2.0.0", "0.9.0", "10.0.0", "", "latest"])(
  "A state of version %j is refused, and the error names the version and the fix",
  (version) => {
    expect(() => AgentState.fromJSON({ ...valid(), version, messages: "of another form" })).toThrow(
      expect.objectContaining({
        code: "INVALID_REQUEST",
        message: expect.stringMatching(/has UAP version .* reads version 1\. Restore it with/),
      }),
    );
  },
);

const message = new UserMessage("Hello").toJSON();
const trace = {
  subagentId: "s",
  subagentType: "explorer",
  parentToolCallId: "c",
  prompt: "",
  startTime: 0,
  endTime: 1,
  success: true,
};

it.each<[Record<string, unknown>, string]>([
  [{ version: 1 }, "state.version"],
  [{ id: "" }, "state.id"],
  [{ id: null }, "state.id"],
  [{ messages: {} }, "state.messages"],
  [{ messages: [message, message, message, { ...message, timestamp: "yesterday" }] }, "state.messages.3.timestamp"],
  [{ messages: [{ ...message, type: "system" }] }, "state.messages.0.type"],
  [{ messages: [null] }, "state.messages.0"],
  [{ step: -1 }, "state.step"],
  [{ step: 1.5 }, "state.step"],
  [{ step: "3" }, "state.step"],
  [{ metadata: [] }, "state.metadata"],
  [{ metadata: null }, "state.metadata"],
  [{ reasoning: [1] }, "state.reasoning.0"],
  [{ plan: [{ id: "a", description: "", dependsOn: [], status: "done" }] }, "state.plan.0.status"],
  [{ subagentTraces: [trace, { ...trace, success: "yes" }] }, "state.subagentTraces.1.success"],
  [{ subagentTraces: [{ ...trace, usage: { inputTokens: 1 } }] }, "state.subagentTraces.0.usage.outputTokens"],
])("The JSON of a state with %j is refused, and the error names the path %s", (changes, path) => {
  expect(() => AgentState.fromJSON({ ...valid(), ...changes })).toThrow(
    expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining(`${path}: `) }),
  );
});

it.each([null, undefined, 5, "state", [], () => 1])(
  "A value that is not an object is refused as a state: %s",
  (value) => {
    expect(() => AgentState.fromJSON(value)).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  },
);

it("Keys such as __proto__ and constructor in the JSON of a state are data and change no prototype", () => {
  const text = `{"version":"1.0.0","id":"a","step":0,"__proto__":{"step":9,"polluted":1},
    "metadata":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}},
    "messages":[{"id":"m","type":"assistant","content":[],"timestamp":"1970-01-01T00:00:00.000Z",
      "metadata":{"__proto__":{"polluted":1}},
      "toolCalls":[{"toolCallId":"c","toolName":"t","arguments":{"__proto__":{"polluted":1}}}]}]}`;
  const state = AgentState.fromJSON(JSON.parse(text)).withMetadata("other", { a: 1 });
  expect(state.step).toBe(0);
  expect("polluted" in state || "polluted" in state.metadata || "polluted" in {}).toBe(false);
  expect(Object.keys(state.metadata)).toEqual(["__proto__", "constructor", "other"]);
  const restored = JSON.stringify(AgentState.fromJSON(JSON.parse(JSON.stringify(state))));
  expect(restored).toBe(JSON.stringify(state));
  expect(restored).toContain('"arguments":{"__proto__":{"polluted":1}}');
});

it("A state that contains itself, or is nested in thousands of levels, is refused and does not overflow the stack", () => {
  const cyclic: Record<string, unknown> = { ...valid() };
  cyclic["metadata"] = { state: cyclic };
  expect(() => AgentState.fromJSON(cyclic)).toThrow("contains itself");
  const result = { toolCallId: "c", result: {} };
  result.result = { again: result };
  const messages = [{ ...new ToolResultMessage([]).toJSON(), results: [result] }];
  expect(() => AgentState.fromJSON({ ...valid(), messages })).toThrow("contains itself");
  const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`) as unknown;
  expect(() => AgentState.fromJSON({ ...valid(), metadata: { deep } })).toThrow(
    expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining("state.metadata.deep.0.0") }),
  );
});

it("An error about a state with a huge key or a huge version contains only a part of it", () => {
  const huge = "x".repeat(1_000_000);
  for (const changes of [{ version: huge }, { metadata: { [huge]: Number.NaN } }]) {
    let message = "";
    try {
      AgentState.fromJSON({ ...valid(), ...changes });
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain("UPPError");
    expect(message.length).toBeLessThan(1000);
  }
});

it("A state can have more messages than a function can have arguments", () => {
  const many = Array.from({ length: 150_000 }, () => new UserMessage([], { id: "m", timestamp: new Date(0) }));
  const state = AgentState.initial().withMessages(many).withMessages(many.slice(0, 1));
  expect(state.toJSON().messages).toHaveLength(150_001);
});
