// The arguments and results of tools: if the program changes these values later, no message changes, and a restored conversation sends the
// same request.

import { expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { agent } from "#facade/uap/uap-agent.ts";
import { ToolResultMessage } from "#facade/upp/upp-message.ts";
import type { Tool } from "#facade/upp/upp-tool.ts";

import { add, call, instance, outline, rejection, tool } from "./support/scripted-llm.ts";
import { parentOf, explorerTool, modelOf } from "./uap/support/parent-agents.ts";
import { scriptedAgent } from "./uap/support/scripted-agent.ts";
import type { Script } from "./uap/support/scripted-agent.ts";

const callsOnce = (name: string, args = {}) => [{ toolCalls: [call(name, args)] }, { text: "Done." }];

it("A message keeps the arguments from the model if a tool or a function of the tool strategy changes them", async () => {
  const change = (params: Record<string, unknown>) => {
    params["a"] = Number(params["a"]) + 1;
  };
  const changes = tool("add", (params) => {
    change(params);
    return params["a"];
  });
  const toolStrategy = { onToolCall: (_tool: Tool, params: Record<string, unknown>) => change(params) };
  const turn = await instance(callsOnce("add", { a: 1 }), { tools: [changes], toolStrategy }).generate("Go.");
  expect(outline(turn.messages)).toEqual(["user: Go.", 'assistant: [add {"a":1}]', "results: 3", "assistant: Done."]);
  expect(turn.toolExecutions).toMatchObject([{ arguments: { a: 2 }, result: 3 }]);
});

it("A message keeps a tool's result unchanged if the tool changes the returned value later", async () => {
  const list: number[] = [];
  const collects = tool("collect", () => {
    list.push(list.length);
    return list;
  });
  const script = [{ toolCalls: [call("collect")] }, { toolCalls: [call("collect")] }, { text: "Done." }];
  const turn = await instance(script, { tools: [collects] }).generate("Go.");
  list.push(9);
  expect(outline(turn.messages).filter((line) => line.startsWith("results"))).toEqual([
    "results: [0]",
    "results: [0,1]",
  ]);
});

const bytes = new Uint8Array([1, 2, 255]);
const image = { type: "image", mimeType: "image/png", source: { type: "bytes", data: bytes } };

it.each<[string, unknown]>([
  ["an image in bytes", [{ type: "text", text: "A picture." }, image]],
  ["an image in bytes inside of content", { content: [image] }],
  ["a date", new Date(0)],
  [
    "an object with a date, a Map and numbers that JSON cannot express",
    { at: new Date(0), map: new Map([[1, 2]]), no: NaN },
  ],
  ["an instance of a class", new URL("http://localhost/")],
  ["nothing", undefined],
  ["a function", () => 1],
])(
  "An agent sends the same request from a restored state as from the original state if a tool returned %s",
  async (_name, result) => {
    const requests: string[] = [];
    const script: Script = ({ messages }) => {
      requests.push(JSON.stringify(messages));
      return messages.length === 1 ? { toolCalls: [call("get")] } : { text: "Done." };
    };
    const getter = scriptedAgent(script, { tools: [tool("get", () => result)] });
    const { state } = await getter.generate("Go.", AgentState.initial());
    const restored = AgentState.fromJSON(JSON.parse(JSON.stringify(state)));
    expect(restored).toEqual(state);
    expect(AgentState.fromJSON(state.toJSON())).toEqual(state);
    await getter.generate("Again.", state);
    await getter.generate("Again.", restored);
    expect(requests.at(-1)).toBe(requests.at(-2));
  },
);

it.each<[string, unknown, string]>([
  ["a function", () => 1, "it is a function"],
  ["a function in a field", { run: () => 1 }, '"run" is a function'],
  ["NaN", NaN, "it is NaN"],
  ["Infinity in a list", [[1, -Infinity]], '"1" is -Infinity'],
  ["a symbol", Symbol("x"), "it is a symbol"],
  ["a Map in a field", { rows: new Map() }, '"rows" is a Map'],
  ["an invalid date", { at: new Date(NaN) }, '"at" is an invalid date'],
])("The result of a tool that returns %s is an error that names the part without JSON", async (_name, value, part) => {
  const get = tool("get", () => value);
  const turn = await instance(callsOnce("get"), { tools: [get] }).generate("Go.");
  expect(turn.toolExecutions).toMatchObject([
    { isError: true, result: expect.stringContaining(`to JSON: ${part}, which has no JSON form`) },
  ]);
});

it("A ToolResultMessage that the program creates contains the bytes of a result as base64", () => {
  const message = new ToolResultMessage([{ toolCallId: "1", result: [image] }]);
  const expected = [{ ...image, source: { type: "base64", data: "AQL/" } }];
  expect([message.results[0]?.result, message.toJSON().results?.[0]?.result]).toEqual([expected, expected]);
  expect(image.source.data).toBe(bytes);
});

it("The trace of a sub-agent contains a call's arguments from onBeforeCall as JSON, and the tool receives the original values", async () => {
  const received: unknown[] = [];
  const adds = tool("add", (params) => void received.push(params));
  const params = { at: new Date(0), call: () => 1 };
  const explorer = agent({
    model: modelOf(callsOnce("add"), "explorer"),
    tools: [adds],
    toolStrategy: { onBeforeCall: () => ({ proceed: true, params }) },
  });
  const { state } = await parentOf(explorerTool(explorer)).generate("Go.", AgentState.initial());
  expect(received).toEqual([params]);
  const executed = [expect.objectContaining({ toolName: "add", arguments: { at: "1970-01-01T00:00:00.000Z" } })];
  expect(state.subagentTraces).toMatchObject([{ success: true, toolExecutions: executed }]);
});

it("If the trace of a sub-agent is not JSON, its call has an error result, and the execution of the agent continues", async () => {
  const byHand = tool("explore", (_params, { onSubagentEvent, toolCallId }) => {
    const fields = { subagentId: "helper-1", subagentType: "helper", parentToolCallId: toolCallId };
    onSubagentEvent?.({ type: "subagent_start", ...fields, prompt: "?", timestamp: 1 });
    const toolExecutions = [{ toolName: "add", arguments: { amount: 1n }, result: "1" }];
    onSubagentEvent?.({ type: "subagent_end", ...fields, success: true, timestamp: 2, toolExecutions });
  });
  const { turn, state } = await parentOf(byHand).generate("Go.", AgentState.initial());
  expect(turn.toolExecutions).toMatchObject([
    { isError: true, result: expect.stringContaining("trace.toolExecutions.0.arguments.amount") },
  ]);
  expect(state.subagentTraces).toBeUndefined();
});

it("If a function of the tool strategy returns a value that is not JSON, the turn ends, and the error names the function or the cause", async () => {
  const before = { onBeforeCall: () => ({ proceed: true, params: { amount: 1n } }) };
  const after = { onAfterCall: () => ({ result: 1n }) };
  const fails = async (toolStrategy: typeof before | typeof after) =>
    rejection(instance(callsOnce("add", { a: 1, b: 2 }), { tools: [add], toolStrategy }).generate("Go."));
  expect(await fails(before)).toMatchObject({ message: expect.stringContaining('onBeforeCall returned for "add"') });
  expect(await fails(after)).toMatchObject({
    message: expect.stringContaining("The result of the tool cannot be converted to JSON"),
  });
});
