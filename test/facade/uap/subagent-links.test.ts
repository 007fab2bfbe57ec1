// The link between a sub-agent and the call that executes it: the abort of the parent, slow readers, and the end of recursions.

import { describe, expect, it } from "vitest";

import type { Agent, AgentOptions } from "#facade/uap/agent-contract.ts";
import { AgentState } from "#facade/uap/agent-state.ts";
import { agent } from "#facade/uap/uap-agent.ts";
import type { AgentStreamEvent } from "#facade/uap/uap-event.ts";
import type { Tool } from "#facade/upp/upp-tool.ts";

import { longAnswer } from "../support/long-answer.ts";
import { call, gate, rejection, tool } from "../support/scripted-llm.ts";
import { calling, explorerTool, modelOf, parentOf, subagentEvents } from "./support/parent-agents.ts";
import type { Script } from "./support/scripted-agent.ts";

describe("the abort of a parent", () => {
  /** A sub-agent whose tool waits until its call is aborted. */
  function waiting() {
    const [started, aborted] = [gate(), gate()];
    const waits = tool("grep", async (_params, { signal }) => {
      signal.addEventListener("abort", aborted.open);
      started.open();
      await aborted.passed;
    });
    return { explorer: agent({ model: modelOf(calling("grep"), "explorer"), tools: [waits] }), started, aborted };
  }

  it.each([
    ["the helper", (explorer: Agent) => explorerTool(explorer)],
    ["a tool that calls query", (explorer: Agent) => tool("explore", () => explorer.query("Where?"))],
  ])("The abort of a stream aborts the running tool of a sub-agent that %s executes", async (_name, toolFor) => {
    const { explorer, started, aborted } = waiting();
    const stream = parentOf(toolFor(explorer)).stream("Go.", AgentState.initial());
    const ended = rejection(stream.result);
    await started.passed;
    stream.abort();
    await aborted.passed;
    expect(await ended).toMatchObject({ name: "UPPError", code: "CANCELLED" });
  });

  it("An aborted sub-agent ends with an event that states the abort, before the parent's stream ends", async () => {
    const { explorer, started } = waiting();
    const abort = new AbortController();
    const stream = parentOf(explorerTool(explorer), { signal: abort.signal }).stream("Go.", AgentState.initial());
    const found: AgentStreamEvent[] = [];
    const read = rejection(
      (async () => {
        for await (const event of stream) found.push(event);
      })(),
    );
    stream.result.catch(() => undefined);
    await started.passed;
    abort.abort();
    expect(await read).toMatchObject({ code: "CANCELLED" });
    expect(subagentEvents(found).at(-1)).toMatchObject({
      type: "subagent_end",
      data: { success: false, error: "The sub-agent was aborted." },
    });
  });
});

describe("the reader of a parent's stream", () => {
  const deltas = 3000;

  /** The maximum number of buffered events of one agent: 65 in its stream, 65 in the stream of its strategy, and some in its connection. */
  const heldByAgent = 150;

  /** Returns the text delta in an event of the parent's stream, at any depth of sub-agents. */
  function deltaIn(event: AgentStreamEvent): string {
    if (event.source === "upp") return event.upp.type === "text_delta" ? (event.upp.delta.text ?? "") : "";
    return event.uap.type === "subagent_event" ? deltaIn(event.uap.data.innerEvent as AgentStreamEvent) : "";
  }

  /** Creates an agent with sub-agents at `levels` levels below it. The deepest sub-agent gives a long answer. */
  function deepParent(levels: number) {
    const { model, sent } = longAnswer(deltas);
    let deepest: Agent = agent({ model });
    for (let level = 1; level < levels; level += 1) deepest = parentOf(explorerTool(deepest));
    return { parent: parentOf(explorerTool(deepest)), sent };
  }

  it.each([1, 2, 4])(
    "A sub-agent %s levels below waits for a slow reader of the parent's stream, and the reader receives its whole answer",
    async (levels) => {
      const { parent, sent } = deepParent(levels);
      let [read, mostAhead] = [0, 0];
      for await (const event of parent.stream("Go.", AgentState.initial())) {
        if (read < deltas) read += deltaIn(event).length;
        // After 300 turns of the event loop, everything that does not depend on a further read has happened.
        if (read % 1000 === 1)
          for (let turn = 0; turn < 300; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        mostAhead = Math.max(mostAhead, sent() - read);
      }
      expect(sent()).toBe(deltas);
      expect(read).toBe(deltas);
      expect(mostAhead).toBeLessThan((levels + 1) * heldByAgent);
    },
  );

  it("Two concurrent sub-agents wait for a slow reader of the parent's stream", async () => {
    const [one, other] = [longAnswer(deltas), longAnswer(deltas)];
    const tools = [one, other].map(({ model }, at) => explorerTool(agent({ model }), { name: `explore_${at}` }));
    const script: Script = ({ messages }) =>
      messages.at(-1)?.role === "tool"
        ? { text: "End." }
        : { toolCalls: [call("explore_0", { query: "Where?" }), call("explore_1", { query: "Where?" })] };
    const stream = agent({ model: modelOf(script), tools }).stream("Go.", AgentState.initial());
    let [read, mostAhead] = [0, 0];
    for await (const event of stream) {
      if (event.source === "uap") read += deltaIn(event).length;
      if (read % 1000 === 1)
        for (let turn = 0; turn < 300; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      mostAhead = Math.max(mostAhead, one.sent() + other.sent() - read);
    }
    expect(read).toBe(2 * deltas);
    expect(mostAhead).toBeLessThan(3 * heldByAgent);
  });

  it("The sub-agent is aborted if the reader leaves the loop over the events of the parent", async () => {
    const { parent, sent } = deepParent(2);
    const stream = parent.stream("Go.", AgentState.initial());
    const ended = rejection(stream.result);
    for await (const event of stream) if (deltaIn(event) !== "") break;
    expect(await ended).toMatchObject({ code: "CANCELLED" });
    expect(sent()).toBeLessThan(deltas);
  });
});

it("The stop condition of a parent is called only with states of the parent", async () => {
  const steps: number[] = [];
  const explorer = agent({ model: modelOf(calling("grep"), "explorer"), tools: [tool("grep", () => "Here.")] });
  const stopCondition = (state: AgentState) => steps.push(state.messages.length) < 0;
  await parentOf(explorerTool(explorer), { strategy: { stopCondition } }).query("Go.");
  expect(steps).toEqual([3, 4]);
});

describe("recursion", () => {
  /** The agent `first` executes itself through `second`, and answers without a call at its third execution. */
  function mutual(beforeSecond: () => Promise<void> | undefined): { first: Agent; executions: () => number } {
    const tools: Tool[] = [];
    let executions = 0;
    const script: Script = ({ messages }) => {
      const isFirstRequest = messages.at(-1)?.role === "user";
      executions += isFirstRequest ? 1 : 0;
      return isFirstRequest && executions < 3 ? { toolCalls: [call("explore", { query: "Next" })] } : { text: "End." };
    };
    const first = agent({ model: modelOf(script, "first"), tools });
    const second = agent({
      model: modelOf(calling("ask_first"), "second"),
      tools: [
        tool("ask_first", async (_params, parentContext) => {
          await beforeSecond();
          return (await first.query("First again", { parentContext })).response.text;
        }),
      ],
    });
    tools.push(explorerTool(second));
    return { first, executions: () => executions };
  }

  it.each([
    ["before the first await of its tool", () => undefined],
    ["after an await of its tool", async () => Promise.resolve()],
  ])("An agent can execute itself through another agent %s", async (_name, beforeSecond) => {
    const { first, executions } = mutual(beforeSecond);
    const { state } = await first.generate("Go.", AgentState.initial());
    expect(executions()).toBe(3);
    expect((state.subagentTraces ?? []).map(({ success }) => success)).toEqual([true]);
  });

  it("An agent that executes itself by its own tool has no limit of depth, unless maxSubagentDepth sets one", async () => {
    const ofLimit = async (maxSubagentDepth?: number): Promise<number> => {
      const tools: Tool[] = [];
      let executions = 0;
      const script: Script = ({ messages }) => {
        const isFirstRequest = messages.at(-1)?.role === "user";
        executions += isFirstRequest ? 1 : 0;
        return isFirstRequest && executions < 60
          ? { toolCalls: [call("explore", { query: "Next" })] }
          : { text: "End." };
      };
      const own = agent({
        model: modelOf(script),
        tools,
        ...(maxSubagentDepth === undefined ? {} : { maxSubagentDepth }),
      });
      tools.push(explorerTool(own));
      await own.query("Go.");
      return executions;
    };
    expect(await ofLimit()).toBe(60);
    expect(await ofLimit(5)).toBe(6);
  });

  /** An agent that executes a copy of itself in each execution, and the deepest level that was executed. */
  function recursive(more: AgentOptions = {}): { outermost: Agent; deepest: () => number; errors: string[] } {
    let deepest = -1;
    const errors: string[] = [];
    const at = (level: number, options: AgentOptions): Agent => {
      const explore = tool("explore", async (_params, parentContext) => {
        const copy = at(level + 1, {});
        return (await copy.query("Deeper", { parentContext })).response.text;
      });
      const script: Script = ({ messages }) => {
        deepest = Math.max(deepest, level);
        const last = messages.at(-1);
        if (last?.role !== "tool" && level < 100) return { toolCalls: [call("explore")] };
        if (last?.role !== "tool") return { text: "End." };
        if (last.content.includes("maxSubagentDepth")) errors.push(last.content);
        return { text: "End." };
      };
      return agent({ model: modelOf(script), tools: [explore], ...options });
    };
    return { outermost: at(0, more), deepest: () => deepest, errors };
  }

  it.each([
    ["with maxSubagentDepth: 3", { maxSubagentDepth: 3 }, 3],
    ["with maxSubagentDepth: 0", { maxSubagentDepth: 0 }, 0],
    ["with maxSubagentDepth: 40", { maxSubagentDepth: 40 }, 40],
  ])(
    "A recursion of agents ends at the allowed depth of the outermost agent %s, with an error that names the option",
    async (_name, options, bound) => {
      const { outermost, deepest, errors } = recursive(options);
      await outermost.query("Go.");
      expect(deepest()).toBe(bound);
      expect(errors).toHaveLength(1);
      expect(errors[0]).toContain("raise maxSubagentDepth");
    },
  );

  it.each([
    ["by default", {}],
    ["with maxSubagentDepth: Infinity", { maxSubagentDepth: Infinity }],
  ])("A recursion of agents has no limit %s", async (_name, options) => {
    const { outermost, deepest, errors } = recursive(options);
    await outermost.query("Go.");
    expect([deepest(), errors]).toEqual([100, []]);
  });

  it("A negative maxSubagentDepth is refused", async () => {
    const error = await rejection(recursive({ maxSubagentDepth: -1 }).outermost.query("Go."));
    expect(error).toMatchObject({ code: "INVALID_REQUEST", message: expect.stringContaining("maxSubagentDepth") });
  });
});
