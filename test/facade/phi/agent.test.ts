// BasicAgent: its builders, runs, queues, ids and saved states.

import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import { BasicAgent, channel, createTool, LoopError, userMessage } from "#facade/phi/index.ts";
import type { AgentEvent, AgentRun } from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import type { MockResponse } from "#facade/phi/provider/mock-provider.ts";
import { ModelConfig } from "#facade/phi/provider/model-config.ts";
import { ProviderError } from "#facade/phi/provider/provider-error.ts";

import { problemsOf } from "./support/event-grammar.ts";
import { textsOf } from "./support/play.ts";

const key = "sk-a-secret-key";
const model = () => ModelConfig.anthropic("claude-sonnet-4-5", "Claude", key);

function agentOf(answers: MockResponse[] = []): { agent: BasicAgent; provider: MockProvider } {
  const provider = new MockProvider(answers);
  return { agent: new BasicAgent(model()).withProviderOverride(provider), provider };
}

async function eventsOf(run: AgentRun): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  expect(problemsOf(events)).toEqual([]);
  return events;
}

/** An answer that never comes. `asked` resolves when it is requested. */
function unanswered(): { requested: Promise<void>; answer: MockResponse } {
  let ask = (): void => undefined;
  const requested = new Promise<void>((resolve) => (ask = resolve));
  const begins_after = new Promise<void>(() => undefined);
  return { requested, answer: () => (ask(), { text: "never", begins_after }) };
}

describe("an agent", () => {
  it("A new agent has the defaults of the document", () => {
    const agent = new BasicAgent(model());
    expect(agent).toMatchObject({
      systemPrompt: "",
      messages: [],
      tools: [],
      thinkingLevel: "Off",
      toolExecution: "Parallel",
      steeringMode: "OneAtATime",
      followUpMode: "OneAtATime",
      contextConfig: {
        max_context_tokens: 100_000,
        system_prompt_tokens: 4000,
        keep_recent: 10,
        keep_first: 2,
        tool_output_max_lines: 50,
      },
      executionLimits: { max_turns: 50, max_total_tokens: 1_000_000 },
      retryConfig: { max_retries: 3, initial_delay_ms: 1000, backoff_multiplier: 2, max_delay_ms: 30_000 },
      cacheConfig: { enabled: true, strategy: "Auto" },
      isStreaming: false,
      cancel: null,
      steeringQueue: [],
      followUpQueue: [],
    });
  });

  it("Builders set their fields, withTools replaces the tools, and addTools adds some", () => {
    const tool = (name: string) => createTool({ name, description: "", parameters: {}, execute: () => "" });
    const { agent } = agentOf();
    agent
      .withSystemPrompt("Be brief.")
      .withMaxTokens(10)
      .withTemperature(0.5)
      .withThinking("Low")
      .withTools([tool("a")])
      .withTools([tool("b")])
      .addTools([tool("c")])
      .withToolExecution("Sequential")
      .withSteeringMode("All")
      .withConfigId("mine");
    expect(agent).toMatchObject({
      systemPrompt: "Be brief.",
      maxTokens: 10,
      temperature: 0.5,
      thinkingLevel: "Low",
      configId: "mine",
    });
    expect(agent.tools.map((one) => one.name())).toEqual(["b", "c"]);
    expect(() => agent.addTools([tool("b")])).toThrow(/Two tools have the name "b"/);
    expect(() => agent.withMaxTokens(0)).toThrow(LoopError);
    expect(() => agent.withSteeringMode("Every" as never)).toThrow(/"OneAtATime" or "All"/);
  });

  it("A prompt returns its events at once, and its messages are the agent's when the events end", async () => {
    const { agent } = agentOf([{ text: "Hi." }]);
    const run = agent.prompt("Hello.");
    expect(agent.isStreaming).toBe(true);
    const events = await eventsOf(run);
    expect(agent.isStreaming).toBe(false);
    expect(textsOf(agent.messages)).toEqual(["user: Hello.", "assistant stop: Hi."]);
    expect(await run.done).toEqual(agent.messages);
    expect(events.at(-1)?.type).toBe("AgentEnd");
  });

  it("A second prompt while a loop runs is refused, and the error names steer and followUp", async () => {
    const { agent } = agentOf([{ text: "Hi." }]);
    const run = agent.prompt("Hello.");
    expect(() => agent.prompt("Again.")).toThrow(/`steer` or `followUp`/);
    expect(() => agent.continueLoop()).toThrow(LoopError);
    expect(() => agent.restoreMessages("[]")).toThrow(LoopError);
    expect(() => agent.newSession()).toThrow(LoopError);
    await eventsOf(run);
  });

  it("Several prompts may send their events to one sender, which stays open", async () => {
    const { agent } = agentOf([{ text: "One." }, { text: "Two." }]);
    const { tx, rx } = channel();
    await agent.promptWithSender("1", tx);
    await agent.promptWithSender("2", tx);
    tx.close();
    const events: AgentEvent[] = [];
    for await (const event of rx) events.push(event);
    const starts = events.flatMap((event) => (event.type === "AgentStart" ? [event] : []));
    expect(starts).toHaveLength(2);
    expect(new Set(starts.map(({ agent_id }) => agent_id)).size).toBe(1);
    expect(new Set(starts.map(({ session_id }) => session_id)).size).toBe(1);
    expect(starts.map(({ loop_id }) => loop_id.split(".").at(-1))).toEqual(["1", "2"]);
  });

  it("A loop's id has the session, the provider, the model and a number; another segment counts for itself", async () => {
    const { agent } = agentOf([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
    await agent.prompt("1").done;
    expect(agent.lastLoopId).toBe(`${agent.sessionId}.mock.claude-sonnet-4-5.1`);
    agent.withThinking("High");
    await agent.prompt("2").done;
    expect(agent.lastLoopId).toBe(`${agent.sessionId}.mock.claude-sonnet-4-5.high.1`);
    agent.withConfigId("mine");
    await agent.prompt("3").done;
    expect(agent.lastLoopId).toBe(`${agent.sessionId}.mine.1`);
  });

  it.each([
    ["OneAtATime", ["user: go", "user: a", "assistant stop: 1", "user: b", "assistant stop: 2"]],
    ["All", ["user: go", "user: a", "user: b", "assistant stop: 1"]],
  ] as const)("Messages that were added before a prompt steer its loop in the mode %s", async (mode, expected) => {
    const { agent } = agentOf([{ text: "1" }, { text: "2" }]);
    agent.withSteeringMode(mode);
    agent.steer("a");
    agent.steer(userMessage("b"));
    expect(agent.steeringQueue).toHaveLength(2);
    await agent.prompt("go").done;
    expect(textsOf(agent.messages)).toEqual(expected);
    expect(agent.steeringQueue).toEqual([]);
  });

  it("A follow-up is answered before the loop ends", async () => {
    const { agent } = agentOf([{ text: "1" }, { text: "2" }, { text: "3" }]);
    agent.followUp("a");
    agent.followUp("b");
    await agent.prompt("go").done;
    expect(textsOf(agent.messages)).toEqual([
      "user: go",
      "assistant stop: 1",
      "user: a",
      "assistant stop: 2",
      "user: b",
      "assistant stop: 3",
    ]);
  });

  it("An agent at its limit of turns ends with a message that states it, keeps its messages, and its next prompt begins a new count", async () => {
    const looks = { tool_calls: [{ name: "look", arguments: {} }] };
    const { agent, provider } = agentOf([looks, looks, { text: "Done." }]);
    const look = createTool({ name: "look", description: "", parameters: { type: "object" }, execute: () => "seen" });
    agent.withTools([look]).withExecutionLimits({ max_turns: 2 });
    const events = await eventsOf(agent.prompt("go"));
    expect(provider.requests).toHaveLength(2);
    expect(textsOf(agent.messages).slice(-2)).toEqual([
      "toolResult: seen",
      "user: [Agent stopped: max turns exceeded]",
    ]);
    expect(events.filter(({ type }) => type === "TurnEnd")).toHaveLength(2);
    await agent.prompt("again").done;
    expect(textsOf(agent.messages).at(-1)).toBe("assistant stop: Done.");
  });

  it("A prompt of an agent that a filter rejects is in no list, nothing is sent, and the next prompt is answered", async () => {
    const { agent, provider } = agentOf([{ text: "Hi." }]);
    agent.withInputFilter({ filter: (text) => (text.includes("bad") ? { Reject: "no bad words" } : "Pass") });
    const events = await eventsOf(agent.prompt("bad"));
    expect(events.map(({ type }) => type)).toEqual(["AgentStart", "InputRejected", "AgentEnd"]);
    expect(events.at(-1)).toMatchObject({ messages: [], rejection: "no bad words" });
    expect([agent.messages, provider.requests, agent.isStreaming]).toEqual([[], [], false]);
    await agent.prompt("good").done;
    expect(textsOf(agent.messages)).toEqual(["user: good", "assistant stop: Hi."]);
  });

  it("The function send prompts an idle agent, and steers one that works", async () => {
    const { agent } = agentOf([{ text: "1" }, { text: "2" }]);
    const run = agent.send("go");
    expect(agent.send("more")).toBeNull();
    await run?.done;
    expect(textsOf(agent.messages)).toContain("user: more");
  });

  it("The function abort cancels a request that waits, and the messages so far stay", async () => {
    const { requested, answer } = unanswered();
    const { agent } = agentOf([answer]);
    const run = agent.prompt("go");
    await requested;
    agent.abort();
    const events = await eventsOf(run);
    expect(events.at(-1)?.type).toBe("AgentEnd");
    expect(textsOf(agent.messages)[0]).toBe("user: go");
    expect(agent.isStreaming).toBe(false);
  });

  it("The function reset empties the agent while a loop runs, and the loop's end changes nothing", async () => {
    const { requested, answer } = unanswered();
    const { agent } = agentOf([answer, { text: "new" }]);
    const run = agent.prompt("go");
    await requested;
    agent.steer("wait");
    agent.reset();
    expect(agent).toMatchObject({ messages: [], steeringQueue: [], isStreaming: false, cancel: null });
    await run.done;
    expect(agent.messages).toEqual([]);
    await agent.prompt("again").done;
    expect(textsOf(agent.messages)).toEqual(["user: again", "assistant stop: new"]);
  });

  it("A message that steers after reset is sent with the next prompt, and not by the loop that reset has cancelled", async () => {
    const { agent, provider } = agentOf([{ text: "answer" }]);
    const first = agent.prompt("a");
    agent.reset();
    agent.steer("x");
    const second = agent.prompt("b");
    await first.done;
    await second.done;
    expect(textsOf(agent.messages)).toEqual(["user: b", "user: x", "assistant stop: answer"]);
    expect(provider.requests.map(({ messages }) => textsOf(messages))).toEqual([["user: b", "user: x"]]);
  });

  it("continueLoop answers the last message, and names the loop from which it continues", async () => {
    const { agent } = agentOf([{ text: "1" }, { text: "2" }]);
    await agent.prompt("go").done;
    const first = agent.lastLoopId;
    expect(() => agent.continueLoop()).toThrow(/The last message is an answer/);
    agent.messages = agent.messages.slice(0, 1);
    const [start] = await eventsOf(agent.continueLoop());
    expect(start).toMatchObject({ parent_loop_id: first, continuation_kind: "Default" });
  });

  it("The function rerun requests the last answer again, with a tag", async () => {
    const { agent } = agentOf([{ text: "1" }, { text: "2" }]);
    await agent.prompt("go").done;
    const [start] = await eventsOf(agent.rerun());
    expect(start).toMatchObject({ continuation_kind: { Rerun: { tag: expect.stringMatching(/^\d{4}-.*Z$/) } } });
    expect(textsOf(agent.messages)).toEqual(["user: go", "assistant stop: 2"]);
  });

  it("An agent whose provider failed requests the answer from another model after withModelConfig and rerun", async () => {
    const { agent } = agentOf([ProviderError.api("down"), ({ model_config }) => `From ${model_config.id}.`]);
    await agent.prompt("go").done;
    expect(agent.messages.at(-1)).toMatchObject({ stop_reason: "error", error_message: expect.stringMatching("down") });
    await agent.withModelConfig(ModelConfig.openai("gpt-5", "GPT", key)).rerun().done;
    expect(textsOf(agent.messages)).toEqual(["user: go", "assistant stop: From gpt-5."]);
  });

  it("Saved messages are restored as they were, and a broken text leaves the messages", async () => {
    const { agent } = agentOf([{ text: "1" }]);
    await agent.prompt("go").done;
    const saved = agent.saveMessages();
    const other = agentOf().agent;
    other.restoreMessages(saved);
    expect(other.messages).toEqual(agent.messages);
    for (const [text, message] of [
      ["{", /JSON text of a list/],
      ["{}", /JSON text of a list/],
      ['[{"role":"robot"}]', /messages\.0\.role/],
      ['[{"role":"user","content":[{"type":"video"}],"timestamp":1}]', /messages\.0\.content\.0\.type/],
    ] as const) {
      expect(() => other.restoreMessages(text)).toThrow(message);
    }
    expect(other.messages).toEqual(agent.messages);
  });

  it("A checkpoint restores messages, queues, ids and counters, and survives JSON", async () => {
    const { agent } = agentOf([{ text: "1" }]);
    await agent.prompt("go").done;
    agent.followUp("later");
    const snapshot = JSON.parse(JSON.stringify(agent.checkpoint())) as ReturnType<BasicAgent["checkpoint"]>;
    const { agent: other } = agentOf([{ text: "2" }]);
    other.restore(snapshot);
    expect(other.checkpoint()).toEqual(snapshot);
    expect(() => other.restore({ ...snapshot, agent_id: "" })).toThrow(/no `agent_id`/);
    expect(() => other.restore({ ...snapshot, loop_counters: { a: -1 } })).toThrow(/counter of "a"/);
    expect(() => other.restore({ ...snapshot, messages: [{}] as never })).toThrow(/messages\.0/);
    expect(other.checkpoint()).toEqual(snapshot);
  });

  it("A session rotates on request, and when the last prompt is too long ago", async () => {
    const { agent } = agentOf([{ text: "1" }]);
    const first = agent.sessionId;
    expect(agent.checkAndRotate(0)).toBeNull();
    await agent.prompt("go").done;
    const last = agent.lastActiveAt ?? new Date(0);
    expect(agent.checkAndRotate(1000, new Date(last.getTime() + 1000))).toBeNull();
    const second = agent.checkAndRotate(1000, new Date(last.getTime() + 1001));
    expect(second).not.toBe(first);
    expect(agent).toMatchObject({ sessionId: second, loopCounters: {}, lastLoopId: null });
    expect(() => agent.checkAndRotate(Number.NaN)).toThrow(LoopError);
  });

  it("No printed form of an agent, of its events and of its errors has the key", async () => {
    const { agent } = agentOf([{ text: "1" }]);
    const events = await eventsOf(agent.prompt("go"));
    for (const shown of [
      inspect(agent, { depth: 9, showHidden: true }),
      JSON.stringify(agent),
      JSON.stringify(events),
    ]) {
      expect(shown).not.toContain(key);
    }
  });
});
