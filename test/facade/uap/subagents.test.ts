// Agents that tools execute: what they inherit, and how their events and traces reach the agent that calls the tool.

import { describe, expect, it } from "vitest";

import type { Agent, ExecutionStrategy } from "#facade/uap/agent-contract.ts";
import { AgentState } from "#facade/uap/agent-state.ts";
import type { CheckpointStore } from "#facade/uap/checkpoint-store.ts";
import { loop } from "#facade/uap/strategy/built-in-strategy.ts";
import { agent } from "#facade/uap/uap-agent.ts";
import type { AgentStreamEvent, UAPEvent } from "#facade/uap/uap-event.ts";
import { llm } from "#facade/upp/llm.ts";
import type { SubagentEvent, ToolContext } from "#facade/upp/tool-context.ts";
import type { Tool } from "#facade/upp/upp-tool.ts";

import { call, gate, rejection, tool } from "../support/scripted-llm.ts";
import { calling, explorerTool, modelOf, parameters, parentOf, subagentEvents } from "./support/parent-agents.ts";
import { eventsOf } from "./support/scripted-agent.ts";
import type { Script } from "./support/scripted-agent.ts";

describe("the context of a tool", () => {
  it("A tool of an agent receives the model, the settings and the ids of the execution, whether it declares a second parameter or not", async () => {
    const contexts: ToolContext[] = [];
    const declared = tool("explore", (_params, context) => void contexts.push(context));
    const undeclared = tool("explore", function () {
      // The function declares no parameter.
      contexts.push(arguments[1] as ToolContext);
    });
    const config = { headers: { "x-team": "agents" } };
    const state = AgentState.initial();
    for (const explore of [declared, undeclared]) {
      const parent = parentOf(explore, { config });
      await parent.generate("Go.", state);
      expect(contexts.at(-1)).toMatchObject({
        toolCallId: expect.any(String),
        signal: expect.any(AbortSignal),
        parentModel: parent.model,
        parentConfig: config,
        agentId: parent.id,
        stateId: state.id,
        onSubagentEvent: expect.any(Function),
      });
    }
  });

  it("The context of a tool in the options of llm has only a signal and the id of the call, and no data of an agent", async () => {
    const contexts: ToolContext[] = [];
    const explore = tool("explore", (_params, context) => void contexts.push(context));
    await llm({ model: modelOf(calling("explore")), tools: [explore] }).generate("Go.");
    expect(Object.keys(contexts[0] ?? {}).toSorted()).toEqual(["signal", "toolCallId"]);
  });
});

describe("the model of a sub-agent", () => {
  /** A tool that executes an agent as UAP's document does it, and keeps the requests of the parent's model. */
  function setUp(
    helper: Agent,
    execute: (helper: Agent, context: ToolContext) => Promise<{ response: { text: string } }>,
  ) {
    const requested: string[] = [];
    const explore = tool("explore", async (_params, context) => (await execute(helper, context)).response.text);
    const script: Script = ({ messages, lastUser }) => {
      requested.push(lastUser);
      if (lastUser === "Task.") return { text: "Done by the parent's model." };
      return messages.at(-1)?.role === "tool" ? { text: "End." } : { toolCalls: [call("explore")] };
    };
    return { parent: agent({ model: modelOf(script), tools: [explore] }), requested };
  }

  it.each([
    [
      "a copy with the parent's model",
      (helper: Agent, { parentModel: model, parentConfig: config }: ToolContext) =>
        agent({ ...helper, model, config }).query("Task."),
    ],
    ["a call of query before the tool's first await", (helper: Agent) => helper.query("Task.")],
    [
      "the parent's context after an await",
      async (helper: Agent, parentContext: ToolContext) => {
        await Promise.resolve();
        return helper.query("Task.", { parentContext });
      },
    ],
  ])("A sub-agent without a model is executed with the parent's model by %s", async (_way, execute) => {
    const { parent, requested } = setUp(agent({ system: "You help." }), execute);
    const { toolExecutions } = await parent.query("Go.");
    expect(toolExecutions).toMatchObject([{ result: "Done by the parent's model.", isError: false }]);
    expect(requested).toEqual(["Go.", "Task.", "Go."]);
  });

  it("A sub-agent with a model of its own is executed with this model", async () => {
    const helper = agent({ model: modelOf([{ text: "Done by the helper's model." }]) });
    const { parent, requested } = setUp(helper, (each) => each.query("Task."));
    const { toolExecutions } = await parent.query("Go.");
    expect(toolExecutions).toMatchObject([{ result: "Done by the helper's model." }]);
    expect(requested).toEqual(["Go.", "Go."]);
  });

  it("An agent without a model is refused if no tool executes it, and the error names the fix", async () => {
    const error = await rejection(agent({ system: "You help." }).query("Task."));
    expect(error).toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringContaining("parentContext: context"),
    });
  });
});

describe("events and traces", () => {
  const grep = tool("grep", () => "src/answer.ts", { parameters });
  const explorer = () => agent({ model: modelOf(calling("grep", { query: "answer" }), "explorer"), tools: [grep] });

  it("The events of a sub-agent are in the parent's stream between its start and its end, with its id and the id of the call", async () => {
    const stream = parentOf(explorerTool(explorer(), { type: "explorer" })).stream("Go.", AgentState.initial());
    const events = await eventsOf(stream);
    const found = subagentEvents(events);
    expect(found.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1])).toEqual([
      "subagent_start",
      "subagent_event",
      "subagent_end",
    ]);
    const [start] = found;
    const ids = new Set(found.map(({ data }) => `${data.subagentId} ${data.subagentType} ${data.parentToolCallId}`));
    const { turn } = await stream.result;
    const [execution] = turn.toolExecutions;
    expect([...ids]).toEqual([`${start?.data.subagentId} explorer ${execution?.toolCallId}`]);
    expect(start?.data).toMatchObject({ prompt: "Where?", timestamp: expect.any(Number) });
    expect(found.at(-1)?.data).toMatchObject({
      success: true,
      result: "Answer: src/answer.ts",
      toolExecutions: [{ toolName: "grep", arguments: { query: "answer" }, result: "src/answer.ts" }],
      usage: { totalTokens: expect.any(Number) },
      timestamp: expect.any(Number),
    });
  });

  it("The parent's stream contains every event of the sub-agent's stream in order", async () => {
    const inner = subagentEvents(
      await eventsOf(parentOf(explorerTool(explorer())).stream("Go.", AgentState.initial())),
    );
    const forwarded = inner.flatMap(({ data }) => ("innerEvent" in data ? [data.innerEvent as AgentStreamEvent] : []));
    const alone = await eventsOf(explorer().stream("Where?", AgentState.initial()));
    const kinds = (events: AgentStreamEvent[]) =>
      events.map((event) => (event.source === "uap" ? `uap ${event.uap.type}` : `upp ${event.upp.type}`));
    expect(kinds(forwarded)).toEqual(kinds(alone));
    expect(kinds(forwarded)).toContain("upp tool_execution_end");
    expect(kinds(forwarded)).toContain("upp text_delta");
  });

  it("Events of a sub-agent's sub-agent are inside the events of the sub-agent, and the state has a trace of each level", async () => {
    const middle = (inner: Tool) =>
      agent({ model: modelOf(calling("explore", { query: "Deeper?" }), "middle"), tools: [inner] });
    const deepest = explorerTool(explorer(), { type: "deepest" });
    const deep = explorerTool(middle(deepest), { type: "deep" });
    const stream = parentOf(explorerTool(middle(deep), { type: "first" })).stream("Go.", AgentState.initial());
    const levels: string[] = [];
    for (const event of subagentEvents(await eventsOf(stream))) {
      let each: UAPEvent | undefined = event;
      const path = [];
      while (each !== undefined && each.type.startsWith("subagent_")) {
        const data = each.data as SubagentEvent<AgentStreamEvent>;
        path.push(`${data.subagentType} ${each.type}`);
        each = data.type === "subagent_event" && data.innerEvent.source === "uap" ? data.innerEvent.uap : undefined;
      }
      levels.push(path.join(" > "));
    }
    expect(levels).toContain("first subagent_event > deep subagent_event > deepest subagent_start");
    expect(levels).toContain("first subagent_event > deep subagent_event > deepest subagent_end");
    const { state } = await stream.result;
    expect(state.subagentTraces?.map(({ subagentType, prompt }) => [subagentType, prompt])).toEqual([
      ["deepest", "Deeper?"],
      ["deep", "Deeper?"],
      ["first", "Where?"],
    ]);
    // Each level is found from the level above by the id of the call.
    const [deepestTrace, deepTrace] = state.subagentTraces ?? [];
    expect(deepTrace?.toolExecutions?.map(({ toolCallId }) => toolCallId)).toEqual([deepestTrace?.parentToolCallId]);
  });

  it("The state from generate has a trace with all calls of the sub-agent, and a state restored from a checkpoint has the same trace", async () => {
    const saved: unknown[] = [];
    const checkpoints: CheckpointStore = {
      save: async (_sessionId, json) => void saved.push(json),
      load: async () => null,
      delete: async () => {},
      list: async () => [],
    };
    const parent = parentOf(explorerTool(explorer()), { checkpoints, sessionId: "session-1" });
    const { state } = await parent.generate("Go.", AgentState.initial());
    expect(state.subagentTraces).toEqual([
      {
        subagentId: expect.any(String),
        subagentType: "explore",
        parentToolCallId: expect.any(String),
        prompt: "Where?",
        startTime: expect.any(Number),
        endTime: expect.any(Number),
        success: true,
        result: "Answer: src/answer.ts",
        toolExecutions: [expect.objectContaining({ toolName: "grep", result: "src/answer.ts", isError: false })],
        usage: expect.objectContaining({ totalTokens: expect.any(Number) }),
      },
    ]);
    const restored = AgentState.fromJSON(JSON.parse(JSON.stringify(saved.at(-1))));
    expect(restored.subagentTraces).toEqual(state.subagentTraces);
  });

  it("A later execution keeps the traces of earlier ones", async () => {
    const parent = parentOf(explorerTool(explorer()));
    const { state } = await parent.generate("Go.", AgentState.initial());
    const again = await parent.generate("Again.", AgentState.fromJSON(JSON.parse(JSON.stringify(state))));
    expect(again.state.subagentTraces).toHaveLength(2);
    expect(again.state.subagentTraces?.[0]).toEqual(state.subagentTraces?.[0]);
  });

  it("If a tool emits sub-agent events itself, the parent's stream contains them, and the state gets a trace", async () => {
    const helper = explorer();
    const byHand = tool("explore", async (_params, context) => {
      const fields = { subagentId: "helper-1", subagentType: "helper", parentToolCallId: context.toolCallId };
      context.onSubagentEvent?.({ type: "subagent_start", ...fields, prompt: "Where?", timestamp: 1 });
      const stream = helper.stream("Where?", AgentState.initial());
      for await (const innerEvent of stream)
        context.onSubagentEvent?.({ type: "subagent_event", ...fields, innerEvent });
      const { turn } = await stream.result;
      const { toolExecutions, response } = turn;
      const ended = { success: true, result: response.text, timestamp: 5, toolExecutions };
      context.onSubagentEvent?.({ type: "subagent_end", ...fields, ...ended });
      return response.text;
    });
    const stream = parentOf(byHand).stream("Go.", AgentState.initial());
    expect(subagentEvents(await eventsOf(stream)).length).toBeGreaterThan(4);
    expect((await stream.result).state.subagentTraces).toMatchObject([
      { subagentId: "helper-1", prompt: "Where?", startTime: 1, endTime: 5, toolExecutions: [{ toolName: "grep" }] },
    ]);
  });

  it("A call has an error result if its tool emits a sub-agent event without an id or in a wrong order, and the error states the problem", async () => {
    const fields = { subagentId: "helper-1", subagentType: "helper", parentToolCallId: "call-1" };
    const end = { type: "subagent_end", ...fields, success: true, timestamp: 1 } as const;
    const start = { type: "subagent_start", ...fields, prompt: "?", timestamp: 1 } as const;
    const results = [];
    for (const events of [[end], [start, start], [{ ...start, subagentId: "" }]] as SubagentEvent[][]) {
      const byHand = tool("explore", (_params, { onSubagentEvent }) => {
        for (const event of events) onSubagentEvent?.(event);
      });
      const { toolExecutions } = await parentOf(byHand).query("Go.");
      results.push(toolExecutions[0]?.result);
    }
    expect(results).toEqual([
      expect.stringContaining("Emit subagent_start, subagent_event any number of times, subagent_end."),
      expect.stringContaining("is already running"),
      expect.stringContaining("has no subagentId"),
    ]);
  });

  it("If a tool emits sub-agent events after the execution has ended, the stream does not contain them, and the state has no trace of them", async () => {
    let late: ToolContext["onSubagentEvent"];
    const explore = tool("explore", (_params, { onSubagentEvent }) => void (late = onSubagentEvent));
    // The events of a strategy without a stream go directly to the agent's stream, which is open until `after` has returned.
    const execution: ExecutionStrategy = { name: "direct", execute: (context) => loop().execute(context) };
    const fields = { subagentId: "1", subagentType: "x", parentToolCallId: "1" };
    const middleware = [
      {
        name: "late",
        after() {
          late?.({ type: "subagent_start", ...fields, prompt: "", timestamp: 1 });
          late?.({ type: "subagent_end", ...fields, success: true, timestamp: 2 });
        },
      },
    ];
    const stream = parentOf(explore, { execution, middleware }).stream("Go.", AgentState.initial());
    const events = await eventsOf(stream);
    const { state } = await stream.result;
    expect(late).toBeDefined();
    expect([subagentEvents(events), state.subagentTraces]).toEqual([[], undefined]);
  });

  it("If a sub-agent fails, its `subagent_end` event and its trace have the error, the trace has the calls of the sub-agent, and the parent's model reads the error", async () => {
    let requests = 0;
    const script: Script = () => {
      requests += 1;
      return requests === 1
        ? { toolCalls: [call("grep", { query: "answer" })] }
        : { error: { message: "Busy.", status: 529 } };
    };
    const failing = agent({ model: modelOf(script, "explorer"), tools: [grep] });
    const stream = parentOf(explorerTool(failing)).stream("Go.", AgentState.initial());
    const ends = subagentEvents(await eventsOf(stream)).filter(({ type }) => type === "subagent_end");
    expect(ends).toMatchObject([{ data: { success: false, error: expect.stringContaining("Busy.") } }]);
    const { turn, state } = await stream.result;
    expect(turn.toolExecutions).toMatchObject([
      { toolName: "explore", isError: true, result: expect.stringContaining("Busy.") },
    ]);
    expect(turn.response.text).toContain("Busy.");
    expect(state.subagentTraces).toMatchObject([
      {
        success: false,
        error: expect.stringContaining("Busy."),
        toolExecutions: [{ toolName: "grep", arguments: { query: "answer" }, result: "src/answer.ts", isError: false }],
      },
    ]);
  });

  it("Calls of the same sub-agent in one answer run at the same time, and each execution has a different id", async () => {
    const both = gate();
    let running = 0;
    const script: Script = async () => {
      running += 1;
      if (running === 2) both.open();
      await both.passed;
      return { text: "Here." };
    };
    const explore = explorerTool(agent({ model: modelOf(script, "explorer") }));
    const twice: Script = [
      { toolCalls: [call("explore", { query: "One" }), call("explore", { query: "Two" })] },
      { text: "End." },
    ];
    const { state } = await agent({ model: modelOf(twice), tools: [explore] }).generate("Go.", AgentState.initial());
    const traces = state.subagentTraces ?? [];
    expect(traces.map(({ prompt }) => prompt).toSorted()).toEqual(["One", "Two"]);
    expect(new Set(traces.map(({ subagentId }) => subagentId)).size).toBe(2);
  });

  it("subagentTool returns a tool with the given name, description, schema and options, and an agent has no function that creates a tool", () => {
    const explore = explorerTool(explorer(), { sequential: true, metadata: { team: "agents" } });
    expect(explore).toMatchObject({
      name: "explore",
      description: "Explores the codebase.",
      parameters,
      sequential: true,
      metadata: { team: "agents" },
    });
    expect("toTool" in explorer()).toBe(false);
  });
});
