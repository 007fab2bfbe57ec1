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
  it("The execution of an agent by its own tool is refused, and the error names the fix", async () => {
    const tools: Tool[] = [];
    const own = agent({ model: modelOf(calling("explore", { query: "Again" })), tools });
    tools.push(explorerTool(own));
    const { toolExecutions } = await own.query("Go.");
    expect(toolExecutions).toMatchObject([{ isError: true, result: expect.stringContaining("is its own sub-agent") }]);
    expect(String(toolExecutions[0]?.result)).toContain("agent({ ...helper })");
  });

  it("An agent that executes itself through another agent is refused at its second execution", async () => {
    const tools: Tool[] = [];
    const first = agent({ model: modelOf(calling("explore", { query: "Second" }), "first"), tools });
    const second = agent({
      model: modelOf(calling("ask_first"), "second"),
      tools: [tool("ask_first", async () => (await first.query("First again")).response.text)],
    });
    tools.push(explorerTool(second));
    const { state } = await first.generate("Go.", AgentState.initial());
    expect(state.subagentTraces).toMatchObject([
      {
        success: true,
        toolExecutions: [{ toolName: "ask_first", isError: true, result: expect.stringContaining("own sub-agent") }],
      },
    ]);
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
        if (last?.role !== "tool") return { toolCalls: [call("explore")] };
        if (last.content.includes("maxSubagentDepth")) errors.push(last.content);
        return { text: "End." };
      };
      return agent({ model: modelOf(script), tools: [explore], ...options });
    };
    return { outermost: at(0, more), deepest: () => deepest, errors };
  }

  it.each([
    ["by default", {}, 32],
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

  it("A negative maxSubagentDepth is refused", async () => {
    const error = await rejection(recursive({ maxSubagentDepth: -1 }).outermost.query("Go."));
    expect(error).toMatchObject({ code: "INVALID_REQUEST", message: expect.stringContaining("maxSubagentDepth") });
  });
});
