// Agents as tools of agents: the task, the isolation, the limits, the result, the ids, the events and the abort of a sub-agent.

import { describe, expect, it } from "vitest";

import { BasicAgent, CancellationToken, createTool, ModelConfig, textResult } from "#facade/phi/index.ts";
import type { AgentEvent, AgentEventOf, AgentMessage, ToolContext } from "#facade/phi/index.ts";
import { extractFinalText, SubAgentTool } from "#facade/phi/loop-agents.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import type { MockResponse } from "#facade/phi/provider/mock-provider.ts";
import { ProviderError } from "#facade/phi/provider/provider-error.ts";
import { SessionRecorder } from "#facade/phi/session/index.ts";

import { problemsOf } from "./support/event-grammar.ts";
import { conversation } from "./support/judged-conversation.ts";
import { byLoop } from "./support/parallel-play.ts";
import { play, textsOf } from "./support/play.ts";
import type { Play, Played } from "./support/play.ts";

const model = ModelConfig.anthropic("mock-model", "Mock", "sk-secret");
const noRetry = { max_retries: 0, initial_delay_ms: 0, backoff_multiplier: 1, max_delay_ms: 0 };
const helper = (answers: MockResponse[], name = "helper"): SubAgentTool =>
  new SubAgentTool(name, model)
    .withProviderOverride(new MockProvider(answers, { strict: true }))
    .withRetryConfig(noRetry);
const delegate = (task: unknown = "Find a city.", name = "helper"): MockResponse => ({
  tool_calls: [{ name, arguments: { task: task as string } }],
});
const look = createTool({
  name: "look",
  description: "Looks.",
  parameters: { type: "object" },
  execute: (_params, ctx) => {
    ctx.on_progress("looking");
    return "a map";
  },
});
/** A call of `look`. Each answer gives its calls ids of their own. */
const looks = (text?: string): MockResponse => ({
  tool_calls: [{ name: "look", arguments: {} }],
  ...(text === undefined ? {} : { text }),
});

/** Plays a parent with a sub-agent. */
function delegated(tool: SubAgentTool, more: Partial<Play> = {}): Promise<Played> {
  return play({ answers: [delegate(), "Done."], tools: [tool], ...more });
}

function eventsOf<T extends AgentEvent["type"]>(events: readonly AgentEvent[], type: T): AgentEventOf<T>[] {
  return events.filter((event): event is AgentEventOf<T> => event.type === type);
}

/** The events of the loops below a play, by their loop. */
function below(): {
  listen: (event: AgentEvent) => void;
  events: AgentEvent[];
  loops: () => Map<string, AgentEvent[]>;
} {
  const events: AgentEvent[] = [];
  return {
    listen: (event) => events.push(event),
    events,
    loops: () => byLoop(events),
  };
}

const resultOf = ({ events }: Played): AgentEventOf<"ToolExecutionEnd"> => {
  const [end] = eventsOf(events, "ToolExecutionEnd");
  if (end === undefined) throw new Error("The tool has not ended.");
  return end;
};
const textOf = (played: Played): string => {
  const [block] = resultOf(played).result.content;
  return block?.type === "text" ? block.text : "";
};

describe("a sub-agent", () => {
  it("A task is answered by a loop of its own, and the model of the parent reads the final text", async () => {
    const provider = new MockProvider([looks("I look."), "Lisbon."]);
    const tool = new SubAgentTool("helper", model)
      .withDescription("Finds cities.")
      .withSystemPrompt("You find cities.")
      .withTools([look])
      .withProviderOverride(provider);
    const played = await delegated(tool, { context: { system_prompt: "You travel." } });
    expect(textsOf(played.returned)).toEqual([
      "user: Hello.",
      "assistant toolUse: <toolCall>",
      "toolResult: Lisbon.",
      "assistant stop: Done.",
    ]);
    expect(provider.requests[0]).toMatchObject({ system_prompt: "You find cities.", tools: [{ name: "look" }] });
    expect(textsOf(provider.requests[0]?.messages ?? [])).toEqual(["user: Find a city."]);
    expect(resultOf(played)).toMatchObject({
      is_error: false,
      result: { details: { sub_agent: "helper", turns: 2 } },
    });
    expect(played.provider.requests[0]?.tools).toEqual([
      {
        name: "helper",
        description: "Finds cities.",
        parameters: expect.objectContaining({ type: "object", required: ["task"] }) as unknown,
      },
    ]);
  });

  it("Each call is a new conversation, also if two run at the same time", async () => {
    const provider = new MockProvider([({ messages }) => `${messages.length}`, ({ messages }) => `${messages.length}`]);
    const tool = new SubAgentTool("helper", model).withProviderOverride(provider);
    const call = (task: string) => ({ name: "helper", arguments: { task } });
    const { events, returned } = await delegated(tool, {
      answers: [{ tool_calls: [call("a"), call("b")] }, "Done."],
    });
    expect(textsOf(returned.slice(2, 4))).toEqual(["toolResult: 1", "toolResult: 1"]);
    const children = eventsOf(events, "ToolExecutionEnd").map(({ child_loop_id }) => child_loop_id);
    expect(new Set(children).size).toBe(2);
  });

  it.each([[undefined], [""], ["  \n"], [7]])("The task %j is refused, and no loop runs", async (task) => {
    const tool = helper([]);
    const played = await delegated(tool, {
      answers: [{ tool_calls: [{ name: "helper", arguments: task === undefined ? {} : { task } }] }, "Done."],
    });
    expect(resultOf(played)).toMatchObject({ is_error: true, child_loop_id: null });
    expect(textOf(played)).toContain("`task` is missing");
  });

  it("A sub-agent stops after 10 turns by default, and the parent reads why", async () => {
    const played = await delegated(helper(Array.from({ length: 20 }, () => looks("More."))).withTools([look]));
    expect(textOf(played)).toBe("More.\n\n[Agent stopped: max turns exceeded]");
    expect(resultOf(played).result.details).toEqual({ sub_agent: "helper", turns: 10 });
  });

  it("The limits of a sub-agent can be changed one by one", async () => {
    const turns = await delegated(
      helper([looks("a"), looks("b"), looks("c")])
        .withTools([look])
        .withMaxTurns(2),
    );
    expect(resultOf(turns).result.details).toEqual({ sub_agent: "helper", turns: 2 });
    const answer = { ...(looks("a") as object), usage: { input: 30, output: 1 } };
    const tool = helper([answer, answer]).withTools([look]).withMaxTurns(5);
    const tokens = await delegated(tool.withExecutionLimits({ max_total_tokens: 20 }));
    expect(textOf(tokens)).toBe("a\n\n[Agent stopped: max total tokens exceeded]");
    expect(() => helper([]).withMaxTurns(-1)).toThrow("`executionLimits.max_turns` is -1");
    expect(() => helper([]).withExecutionLimits({ turns: 1 } as never)).toThrow("no option `turns`");
  });

  it("Builders set the options of the sub-agent's requests, and wrong values are refused at once", async () => {
    const provider = new MockProvider(["Lisbon."]);
    const cache = { enabled: false, strategy: "Disabled" as const };
    const tool = new SubAgentTool("helper", model)
      .withProviderOverride(provider)
      .withThinking("High")
      .withMaxTokens(9000)
      .withCacheConfig(cache)
      .withToolExecution("Sequential");
    await delegated(tool);
    expect(provider.requests[0]).toMatchObject({ thinking_level: "High", max_tokens: 9000, cache_config: cache });
    expect(() => tool.withMaxTokens(0)).toThrow("`maxTokens` is 0");
    expect(() => tool.withToolExecution("Fast" as never)).toThrow("`toolExecution`");
    expect(() => tool.withTools([look, look])).toThrow('Two tools have the name "look"');
    expect(() => new SubAgentTool("", model)).toThrow("name of a sub-agent");
    expect(() => new SubAgentTool("helper", undefined as never)).toThrow("`modelConfig`");
    expect(JSON.stringify(tool)).not.toContain("sk-secret");
  });

  it("An agent gets a sub-agent next to its other tools", async () => {
    const agent = new BasicAgent(model)
      .withProviderOverride(new MockProvider([delegate(), "Done."]))
      .withTools([look])
      .withSubAgent(helper(["Lisbon."]));
    const added = await agent.prompt("Hello.").done;
    expect(textsOf(added)[2]).toBe("toolResult: Lisbon.");
    expect(agent.tools.map((tool) => tool.name())).toEqual(["look", "helper"]);
  });
});

describe("the result of a sub-agent", () => {
  const text = (value: string): AgentMessage => ({
    ...(conversation()[3] as Extract<AgentMessage, { role: "assistant" }>),
    content: [{ type: "text", text: value }],
  });

  it("The final text is that of the last answer with a text, or a fixed text", () => {
    expect(extractFinalText(conversation())).toBe("Where to?");
    expect(extractFinalText([text("a"), text("b"), text("")])).toBe("b");
    const called = {
      ...text(""),
      content: [{ type: "toolCall", id: "c", name: "look", arguments: {} }],
    } as AgentMessage;
    expect(extractFinalText([called])).toBe("(sub-agent produced no text output)");
    expect(extractFinalText([])).toBe("(sub-agent produced no text output)");
  });

  it("The error of the last answer is added to the final text", () => {
    const failed = { ...text(""), content: [], stop_reason: "error", error_message: "overloaded" } as AgentMessage;
    expect(extractFinalText([failed])).toBe("(sub-agent produced no text output): overloaded");
    expect(extractFinalText([text("a"), failed])).toBe("a\n\n(sub-agent failed: overloaded)");
    expect(extractFinalText([failed, text("a")])).toBe("a");
  });

  it("A sub-agent whose model fails is a result with the error, so that the parent continues", async () => {
    const played = await delegated(helper([ProviderError.api("no such model")]));
    expect(resultOf(played)).toMatchObject({ is_error: false, result: { details: { turns: 1 } } });
    expect(textOf(played)).toMatch(/^\(sub-agent produced no text output\): .*no such model/);
    expect(resultOf(played).child_loop_id).not.toBeNull();
    expect(textsOf(played.returned).at(-1)).toBe("assistant stop: Done.");
  });

  it("A sub-agent with a wrong option, and one whose listener throws, are results with the error", async () => {
    const marks = { enabled: "yes", strategy: "Auto" } as never;
    expect(textOf(await delegated(helper([]).withCacheConfig(marks)))).toContain(
      '`enabled` of the cache config is "yes"',
    );
    const listen = () => {
      throw new Error("the listener failed");
    };
    expect(textOf(await delegated(helper(["Lisbon."]).onEvent(listen)))).toContain("the listener failed");
  });
});

describe("the events of a sub-agent", () => {
  it("The parent's events show the text and the progress of the sub-agent while it runs, and nothing else", async () => {
    const answers: MockResponse[] = [looks(), { thinking: "Hm.", text: ["Lis", "bon."] }];
    const { events } = await delegated(helper(answers).withTools([look]));
    const shown = events.flatMap((event) => {
      if (event.type === "ProgressMessage") return [[event.tool_name, event.text]];
      if (event.type !== "ToolExecutionUpdate") return [];
      expect(event.partial_result.details).toEqual({ sub_agent: "helper" });
      return [
        [event.tool_name, ...event.partial_result.content.map((block) => (block.type === "text" ? block.text : ""))],
      ];
    });
    expect(shown).toEqual([
      ["helper", "looking"],
      ["helper", "Lis"],
      ["helper", "bon."],
    ]);
  });

  it("A listener receives all events of the sub-agent's loop, whose first turn is caused by a sub-agent", async () => {
    const { listen, events } = below();
    await delegated(helper([looks(), "Lisbon."]).withTools([look]).onEvent(listen));
    expect(problemsOf(events)).toEqual([]);
    expect(eventsOf(events, "TurnStart").map(({ triggered_by }) => triggered_by)).toEqual(["SubAgent", "Continuation"]);
    expect(eventsOf(events, "AgentEnd")).toHaveLength(1);
  });

  it("Both loops name each other, and the sub-agent has ids of its own", async () => {
    const { listen, events } = below();
    const played = await delegated(helper(["Lisbon."]).onEvent(listen));
    const [parent] = eventsOf(played.events, "AgentStart");
    const [child] = eventsOf(events, "AgentStart");
    expect(child).toMatchObject({ parent_loop_id: parent?.loop_id, continuation_kind: null });
    expect(child?.loop_id).toBe(`${child?.session_id}.sub.1`);
    expect([child?.agent_id, child?.session_id]).not.toEqual([parent?.agent_id, parent?.session_id]);
    expect(resultOf(played)).toMatchObject({
      child_loop_id: child?.loop_id,
      result: { child_loop_id: child?.loop_id },
    });
    const other = await delegated(look as never, { answers: [looks(), "Done."] });
    expect(resultOf(other)).toMatchObject({ child_loop_id: null });
  });

  it("A parent that the program names is the parent of the sub-agent's loops", async () => {
    const { listen, events } = below();
    await delegated(helper(["Lisbon."]).withParentLoopId("s.c.7").onEvent(listen));
    expect(eventsOf(events, "AgentStart")[0]?.parent_loop_id).toBe("s.c.7");
  });

  it("A sub-agent has sub-agents: each loop names the one above it, and a listener receives the events of all", async () => {
    const { listen, loops } = below();
    const third = helper(["A map of Lisbon."], "third").withTools([]);
    const second = helper([delegate("Find a map.", "third"), "Lisbon."], "second").withTools([third]);
    const first = helper([delegate("Find a city.", "second"), "Lisbon."])
      .withTools([second])
      .onEvent(listen);
    const played = await delegated(first);
    expect(textOf(played)).toBe("Lisbon.");
    expect([...loops().values()].map((events) => problemsOf(events))).toEqual([[], [], []]);
    const starts = [...loops().values()].flatMap((events) => eventsOf(events, "AgentStart"));
    const [top] = eventsOf(played.events, "AgentStart");
    expect(starts.map(({ parent_loop_id }) => parent_loop_id)).toEqual([
      top?.loop_id,
      starts[0]?.loop_id,
      starts[1]?.loop_id,
    ]);
    const ends = [...loops().values()].flatMap((events) => eventsOf(events, "ToolExecutionEnd"));
    expect(ends.map(({ child_loop_id }) => child_loop_id)).toEqual([starts[1]?.loop_id, starts[2]?.loop_id]);
  });

  it("A listener of several levels receives each event once", async () => {
    const { listen, events } = below();
    const second = helper(["Lisbon."], "second").onEvent(listen);
    await delegated(
      helper([delegate("Find a city.", "second"), "Lisbon."])
        .withTools([second])
        .onEvent(listen),
    );
    expect(eventsOf(events, "AgentStart")).toHaveLength(2);
  });

  it("A sub-agent of two agents keeps its listeners, and gets none of those of its parents", async () => {
    const parent = below();
    const own = below();
    const second = helper(["Lisbon.", "Porto."], "second").onEvent(own.listen);
    const first = helper([delegate("Find a city.", "second"), "Lisbon."])
      .withTools([second])
      .onEvent(parent.listen);
    await delegated(first);
    await delegated(second, { answers: [delegate("Find a city.", "second"), "Done."] });
    expect(eventsOf(parent.events, "AgentStart")).toHaveLength(2);
    expect(eventsOf(own.events, "AgentStart")).toHaveLength(2);
  });

  it("A program that runs the tool itself passes the context of a call, with the id of the loop", async () => {
    const updates: string[] = [];
    const ctx: ToolContext = {
      tool_call_id: "call-1",
      tool_name: "helper",
      loop_id: "my-loop",
      cancel: new CancellationToken(),
      on_update: ({ content }) => updates.push(JSON.stringify(content)),
      on_progress: () => undefined,
    };
    const { listen, events } = below();
    const result = await helper([{ text: ["Lis", "bon."] }])
      .onEvent(listen)
      .execute({ task: "Find." }, ctx);
    expect(result).toMatchObject(textResult("Lisbon.", { sub_agent: "helper", turns: 1 }));
    expect(updates).toHaveLength(2);
    expect(eventsOf(events, "AgentStart")[0]?.parent_loop_id).toBe("my-loop");
  });
});

describe("the abort of a sub-agent", () => {
  it("The cancelled calls of all levels name the loops that they began, and so do the records of their sessions", async () => {
    const { listen, loops } = below();
    const agent = new BasicAgent(model).withProviderOverride(new MockProvider([delegate("Find.", "first")]));
    const never = new Promise<never>(() => undefined);
    const waits = () => {
      agent.abort();
      return { text: "late", begins_after: never };
    };
    const first = helper([delegate("Find.", "second")], "first")
      .withTools([helper([waits], "second")])
      .onEvent(listen);
    const recorder = new SessionRecorder();
    const own: AgentEvent[] = [];
    first.onEvent((event) => recorder.onEvent(event));
    for await (const event of agent.withSubAgent(first).prompt("Hello.")) {
      own.push(event);
      recorder.onEvent(event, agent);
    }
    const [firstLoop, secondLoop] = loops().keys();
    const ends = eventsOf([...own, ...loops().values()].flat(), "ToolExecutionEnd");
    expect(ends.map(({ is_error, child_loop_id }) => [is_error, child_loop_id])).toEqual([
      [true, firstLoop],
      [true, secondLoop],
    ]);
    expect(ends.map(({ result }) => result.child_loop_id)).toEqual([firstLoop, secondLoop]);
    const records = recorder.sessions().flatMap((session) => session.loops);
    const refs = records.flatMap(({ child_loop_refs }) => child_loop_refs);
    expect(refs.map(({ tool_name, child_loop_id }) => [tool_name, child_loop_id])).toEqual([
      ["first", firstLoop],
      ["second", secondLoop],
    ]);
    expect(recorder.sessions().map((session) => session.parent_spawn_ref?.tool_name ?? null)).toEqual([
      null,
      "first",
      "second",
    ]);
  });

  it("An abort of the agent ends the loops of all levels", async () => {
    const { listen, loops } = below();
    const never = new Promise<never>(() => undefined);
    const agent = new BasicAgent(model).withProviderOverride(new MockProvider([delegate("Find.", "first")]));
    const second = helper(
      [
        () => {
          agent.abort();
          return { text: "late", begins_after: never };
        },
      ],
      "second",
    );
    const first = helper([delegate("Find.", "second")], "first")
      .withTools([second])
      .onEvent(listen);
    await agent.withSubAgent(first).prompt("Hello.").done;
    const ends = [...loops().values()].map((events) => events.at(-1));
    expect(ends).toMatchObject([{ type: "AgentEnd" }, { type: "AgentEnd" }]);
    expect(agent.isStreaming).toBe(false);
    const answers = ends.map((end) => (end?.type === "AgentEnd" ? textsOf(end.messages) : []));
    expect(answers.flat().join("\n")).not.toContain("late");
  });
});
