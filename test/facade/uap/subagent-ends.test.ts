// The end of each sub-agent: one `subagent_end` in the stream of every agent above, and one trace in their states, also after an abort.

import { describe, expect, it } from "vitest";

import { AgentState } from "#facade/uap/agent-state.ts";
import { partialState } from "#facade/uap/partial-state.ts";
import { agent } from "#facade/uap/uap-agent.ts";
import type { AgentStreamEvent } from "#facade/uap/uap-event.ts";
import type { Tool } from "#facade/upp/upp-tool.ts";

import { gate, rejection, tool } from "../support/scripted-llm.ts";
import { calling, explorerTool, modelOf, parentOf, subagentEvents } from "./support/parent-agents.ts";
import { eventsOf } from "./support/scripted-agent.ts";

/** The starts and ends of sub-agents at any depth, in order. */
function startsAndEnds(events: readonly AgentStreamEvent[]): string[] {
  return subagentEvents(events).flatMap(({ type, data }) => {
    if (data.type === "subagent_event") return startsAndEnds([data.innerEvent]);
    return [`${type} ${data.subagentType}${data.type === "subagent_end" ? ` ${data.success}` : ""}`];
  });
}

/** An object nested in 600 levels, which a state cannot contain. */
function nested(): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 0; level < 600; level += 1) value = { value };
  return value;
}

describe("a sub-agent that succeeds", () => {
  it("The trace of a sub-agent has the results that its model received, also if the program changes the values later", async () => {
    const circular: Record<string, unknown> = { found: 1 };
    const explorer = agent({
      model: modelOf(calling("grep"), "explorer"),
      tools: [tool("grep", () => circular)],
      strategy: {
        onObserve: () => {
          circular["found"] = 2;
          circular["self"] = circular;
        },
      },
    });
    const stream = parentOf(explorerTool(explorer)).stream("Go.", AgentState.initial());
    expect(startsAndEnds(await eventsOf(stream))).toEqual(["subagent_start explore", "subagent_end explore true"]);
    const { state } = await stream.result;
    expect(state.subagentTraces).toMatchObject([{ success: true, toolExecutions: [{ result: '{"found":1}' }] }]);
  });

  it("The results of tools in the event subagent_end are texts, as in the trace, also if a program emits the event", async () => {
    const explorer = agent({
      model: modelOf(calling("grep"), "explorer"),
      tools: [tool("grep", () => ({ found: 1 }))],
    });
    const byHand = tool("explore", (_params, { onSubagentEvent, toolCallId }) => {
      const fields = { subagentId: "helper-1", subagentType: "helper", parentToolCallId: toolCallId };
      onSubagentEvent?.({ type: "subagent_start", ...fields, prompt: "?", timestamp: 1 });
      const toolExecutions = [{ toolName: "grep", arguments: {}, result: { found: 1 } }];
      onSubagentEvent?.({ type: "subagent_end", ...fields, success: true, timestamp: 2, toolExecutions });
    });
    for (const explore of [explorerTool(explorer), byHand]) {
      const events = await eventsOf(parentOf(explore).stream("Go.", AgentState.initial()));
      const results = subagentEvents(events).flatMap(({ data }) =>
        data.type === "subagent_end" ? (data.toolExecutions ?? []).map(({ result }) => result) : [],
      );
      expect(results).toEqual(['{"found":1}']);
    }
  });

  it("The trace of a sub-agent contains a tool's result although the result can be converted to JSON only once", async () => {
    let conversions = 0;
    const once = {
      toJSON() {
        conversions += 1;
        if (conversions > 1) throw new Error("The connection is closed.");
        return { found: 1 };
      },
    };
    const explorer = agent({ model: modelOf(calling("grep"), "explorer"), tools: [tool("grep", () => once)] });
    const { turn, state } = await parentOf(explorerTool(explorer)).generate("Go.", AgentState.initial());
    expect(turn.toolExecutions).toMatchObject([{ isError: false }]);
    expect(state.subagentTraces).toMatchObject([{ success: true, toolExecutions: [{ result: '{"found":1}' }] }]);
  });

  it("If the trace of a sub-agent is invalid, the sub-agent ends with an error, and the call of its tool has the same error", async () => {
    const explorer = agent({
      model: modelOf(calling("grep"), "explorer"),
      tools: [tool("grep", () => "src/answer.ts")],
      toolStrategy: { onBeforeCall: () => ({ proceed: true, params: nested() }) },
    });
    const stream = parentOf(explorerTool(explorer)).stream("Go.", AgentState.initial());
    expect(startsAndEnds(await eventsOf(stream))).toEqual(["subagent_start explore", "subagent_end explore false"]);
    const { turn, state } = await stream.result;
    const problem = expect.stringContaining("is nested in more than");
    expect(turn.toolExecutions).toMatchObject([{ isError: true, result: problem }]);
    expect(state.subagentTraces).toMatchObject([
      { success: false, error: problem, toolExecutions: [{ toolName: "grep" }] },
    ]);
  });
});

describe("the abort of an agent with sub-agents at three levels", () => {
  /** An agent whose deepest sub-agent waits in a tool. */
  function deepParent(begun: () => void) {
    const waits = tool("grep", async () => {
      begun();
      return new Promise(() => {});
    });
    const tooled = (inner: Tool, name: string) =>
      agent({ model: modelOf(calling("explore", { query: "Deeper?" }), name), tools: [inner] });
    const deepest = agent({ model: modelOf(calling("grep"), "deepest"), tools: [waits] });
    const deep = explorerTool(deepest, { type: "deepest" });
    const middle = explorerTool(tooled(deep, "middle"), { type: "deep" });
    return parentOf(explorerTool(tooled(middle, "outer"), { type: "first" }));
  }
  const traces = [
    ["deepest", false, "The sub-agent was aborted."],
    ["deep", false, "The sub-agent was aborted."],
    ["first", false, "The sub-agent was aborted."],
  ];
  const tracesOf = (error: unknown) =>
    partialState(error)?.subagentTraces?.map(({ subagentType, success, error: text }) => [subagentType, success, text]);

  it("After an abort of generate, the state has a trace of the sub-agent at each level, the deepest first", async () => {
    const [begun, aborted] = [gate(), new AbortController()];
    const running = deepParent(begun.open).generate("Go.", AgentState.initial(), { signal: aborted.signal });
    await begun.passed;
    aborted.abort();
    const error = await rejection(running);
    expect(error).toMatchObject({ code: "CANCELLED" });
    expect(tracesOf(error)).toEqual(traces);
    const json: unknown = JSON.parse(JSON.stringify(partialState(error)));
    expect(AgentState.fromJSON(json).subagentTraces).toHaveLength(3);
  });

  it("After an abort of a stream, each sub-agent that started in the stream has ended in it, the deepest first", async () => {
    const [begun, aborted] = [gate(), new AbortController()];
    const stream = deepParent(begun.open).stream("Go.", AgentState.initial(), { signal: aborted.signal });
    const found: AgentStreamEvent[] = [];
    const read = rejection(
      (async () => {
        for await (const event of stream) found.push(event);
      })(),
    );
    await begun.passed;
    aborted.abort();
    expect(await read).toMatchObject({ code: "CANCELLED" });
    expect(startsAndEnds(found)).toEqual([
      "subagent_start first",
      "subagent_start deep",
      "subagent_start deepest",
      "subagent_end deepest false",
      "subagent_end deep false",
      "subagent_end first false",
    ]);
    expect(tracesOf(await rejection(stream.result))).toEqual(traces);
  });
});

describe("mistakes in tools of sub-agents", () => {
  it("A second execution of a sub-agent with the id of an earlier trace is refused, because its trace would be lost", async () => {
    const byHand = tool("explore", (_params, { onSubagentEvent, toolCallId }) => {
      const fields = { subagentId: "explorer", subagentType: "explorer", parentToolCallId: toolCallId };
      onSubagentEvent?.({ type: "subagent_start", ...fields, prompt: "?", timestamp: 1 });
      onSubagentEvent?.({ type: "subagent_end", ...fields, success: true, timestamp: 2 });
    });
    const parent = parentOf(byHand);
    const first = await parent.generate("Go.", AgentState.initial());
    expect(first.turn.toolExecutions).toMatchObject([{ isError: false }]);
    const { turn, state } = await parent.generate("Again.", first.state);
    expect(turn.toolExecutions).toMatchObject([
      { isError: true, result: expect.stringContaining("Use a new id for each execution") },
    ]);
    expect(state.subagentTraces).toHaveLength(1);
  });

  it.each([undefined, 5, {}])(
    "A call has an error result that names the tool if the tool's prompt function returns %j",
    async (input) => {
      const explorer = agent({ model: modelOf([{ text: "Here." }], "explorer") });
      const { toolExecutions } = await parentOf(
        explorerTool(explorer, { prompt: () => input as unknown as string }),
      ).query("Go.");
      expect(toolExecutions).toMatchObject([
        { isError: true, result: 'prompt of the tool "explore" returned no input. Return a text or a message.' },
      ]);
    },
  );
});

describe("keys", () => {
  const apiKey = "sk-test-0123456789";

  it("The JSON of an agent has its id, its name and its model, and no connection settings", () => {
    const named = agent({ name: "coder", model: modelOf([], "coder"), config: { apiKey } });
    expect(JSON.parse(JSON.stringify(named))).toEqual({ id: named.id, name: "coder", model: "coder" });
    expect(agent({ ...named }).config).toEqual({ apiKey });
  });

  it("The state contains no API key if a tool returns its context or a copy of it", async () => {
    const returns = tool("explore", (_params, context) => ({ context, copy: { ...context, extra: 1 } }));
    const parent = parentOf(returns, { config: { apiKey, headers: { authorization: apiKey } } });
    const { state, turn } = await parent.generate("Go.", AgentState.initial());
    expect(turn.toolExecutions).toMatchObject([{ isError: false }]);
    expect(JSON.stringify(state)).not.toContain(apiKey);
    expect(JSON.stringify(state)).toContain(parent.id);
  });
});
