// Branches of an agent's conversation: clones at a checkpoint, each with its own events. The agent itself stays as it is.

import { describe, expect, it } from "vitest";

import { BasicAgent, createTool, ModelConfig, userMessage } from "#facade/phi/index.ts";
import type { AgentEvent, AgentEventOf, AgentMessage } from "#facade/phi/index.ts";
import { exploreBranches } from "#facade/phi/loop-agents.ts";
import type { BranchRun, BranchSpec } from "#facade/phi/loop-agents.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import type { MockResponse } from "#facade/phi/provider/mock-provider.ts";

import { problemsOf } from "./support/event-grammar.ts";
import { textsOf } from "./support/play.ts";

const model = ModelConfig.anthropic("mock-model", "Mock", "key");
const agentOf = (answers: MockResponse[]): BasicAgent =>
  new BasicAgent(model).withProviderOverride(new MockProvider(answers, { strict: true }));

/** An agent after one prompt. */
async function prompted(answers: MockResponse[] = []): Promise<BasicAgent> {
  const agent = agentOf(["Lisbon.", ...answers]);
  await agent.prompt("Which city?").done;
  return agent;
}

/** The events of a branch. */
async function eventsOf(run: BranchRun): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  expect(problemsOf(events)).toEqual([]);
  return events;
}

const startOf = (events: readonly AgentEvent[]): AgentEventOf<"AgentStart"> =>
  events.find((event) => event.type === "AgentStart") as AgentEventOf<"AgentStart">;

describe("branches of an agent", () => {
  it("Each branch answers the conversation with its own messages, and the agent stays as it is", async () => {
    const echo = ({ messages }: { messages: AgentMessage[] }) => textsOf(messages).at(-1) ?? "";
    const agent = await prompted([echo, echo]);
    agent.steer("Wait.");
    const before = agent.checkpoint();
    const runs = exploreBranches(agent, [{ messages: ["By train?"] }, { messages: [userMessage("By ship?")] }]);
    expect(agent.isStreaming).toBe(false);
    await Promise.all(runs.map(({ done }) => done));
    expect(agent.checkpoint()).toEqual(before);
    expect(runs.map((run) => textsOf(run.agent.messages).slice(0, 3))).toEqual([
      ["user: Which city?", "assistant stop: Lisbon.", "user: By train?"],
      ["user: Which city?", "assistant stop: Lisbon.", "user: By ship?"],
    ]);
    expect(runs.map((run) => textsOf(run.agent.messages)[3])).toEqual(["user: Wait.", "user: Wait."]);
    expect(runs[0]?.agent.messages[0]).not.toBe(agent.messages[0]);
  });

  it("Each branch has a receiver of its own, and its loop is a branch of the last loop with an id of its own", async () => {
    const agent = await prompted(["a", "b"]);
    const spec = { messages: ["And then?"] };
    const events = await Promise.all(exploreBranches(agent, [spec, spec]).map((run) => eventsOf(run)));
    const starts = events.map(startOf);
    for (const [at, start] of starts.entries()) {
      expect(start).toMatchObject({ session_id: agent.sessionId, agent_id: agent.agentId });
      expect(start).toMatchObject({
        parent_loop_id: agent.lastLoopId,
        continuation_kind: { Branch: { tag: expect.any(String) as string } },
      });
      expect(start.loop_id).toMatch(/^.+\.mock\.mock-model\.[0-9a-f]{8}\.1$/);
      expect(events[at]?.every((event) => !("loop_id" in event) || event.loop_id === start.loop_id)).toBe(true);
      expect(events[at]?.find((event) => event.type === "TurnStart")).toMatchObject({ triggered_by: "Branch" });
    }
    expect(new Set(starts.map(({ loop_id }) => loop_id)).size).toBe(2);
    expect(starts[0]?.continuation_kind).toEqual(starts[1]?.continuation_kind);
  });

  it("A branch can have another prompt, model, tools and messages than the agent", async () => {
    const agent = await prompted();
    const tool = createTool({ name: "look", description: "Looks.", parameters: { type: "object" }, execute: () => "" });
    const providers = [new MockProvider(["a"]), new MockProvider(["b"])];
    const specs: BranchSpec[] = providers.map((provider, at) => ({
      configure: (clone) => {
        clone
          .withSystemPrompt(`Prompt ${at}.`)
          .withProviderOverride(provider)
          .withTools(at === 0 ? [] : [tool]);
        clone.withModelConfig(ModelConfig.anthropic(`model-${at}`, "M", "key")).withThinking(at === 0 ? "Off" : "High");
        clone.messages = [userMessage(`Question ${at}?`)];
      },
    }));
    const events = await Promise.all(exploreBranches(agent, specs).map((run) => eventsOf(run)));
    expect(providers.map(({ requests: [request] }) => [request?.system_prompt, request?.tools.length])).toEqual([
      ["Prompt 0.", 0],
      ["Prompt 1.", 1],
    ]);
    expect(providers.map(({ requests: [request] }) => textsOf(request?.messages ?? []))).toEqual([
      ["user: Question 0?"],
      ["user: Question 1?"],
    ]);
    expect(startOf(events[1] ?? []).loop_id).toContain(".mock.model-1.high.");
    expect([agent.systemPrompt, agent.tools, agent.modelConfig.id, agent.thinkingLevel]).toEqual([
      "",
      [],
      "mock-model",
      "Off",
    ]);
    expect(textsOf(agent.messages)).toHaveLength(2);
  });

  it("A branch has every option of the agent, and adding to its tools and filters leaves those of the agent", async () => {
    const calls: string[] = [];
    const agent = agentOf(["Lisbon.", "a"])
      .withMaxTokens(99)
      .withTemperature(0.5)
      .withSystemPrompt("Be brief.")
      .withConfigId("mine")
      .withExecutionLimits({ max_turns: 3 })
      .withCallbacks({ beforeTurn: () => calls.push("turn") > 0 });
    await agent.prompt("Which city?").done;
    const tool = createTool({ name: "look", description: "Looks.", parameters: { type: "object" }, execute: () => "" });
    const configure = (clone: BasicAgent) => {
      clone.tools.push(tool);
      clone.inputFilters.push({ filter: () => "Pass" });
    };
    const [run] = exploreBranches(agent, [{ messages: ["And?"], configure }]) as [BranchRun];
    const events = await eventsOf(run);
    const { requests } = agent.providerOverride as MockProvider;
    expect(requests[1]).toMatchObject({ max_tokens: 99, temperature: 0.5, system_prompt: "Be brief." });
    expect(startOf(events).loop_id).toContain(".mine.");
    expect(run.agent.executionLimits).toEqual({ max_turns: 3 });
    expect(calls).toEqual(["turn", "turn"]);
    expect([agent.tools.length, agent.inputFilters.length, agent.configId]).toEqual([0, 0, "mine"]);
  });

  it("The branches begin at an earlier checkpoint if one is given, and the agent can continue with one of them", async () => {
    const agent = await prompted(["Not this.", "By ship."]);
    const checkpoint = agent.checkpoint();
    await agent.prompt("Forget it.").done;
    const [run] = exploreBranches(agent, [{ messages: ["How?"] }], checkpoint) as [BranchRun];
    await run.done;
    expect(textsOf(agent.messages).at(-1)).toBe("assistant stop: Not this.");
    agent.restore(run.agent.checkpoint());
    expect(textsOf(agent.messages)).toEqual([
      "user: Which city?",
      "assistant stop: Lisbon.",
      "user: How?",
      "assistant stop: By ship.",
    ]);
    expect(agent.lastLoopId).toBe(run.agent.lastLoopId);
  });

  it("A branch is cancelled by its own agent, and the others continue", async () => {
    const never = new Promise<never>(() => undefined);
    const agent = await prompted();
    const provider = (answer: MockResponse) => (clone: BasicAgent) =>
      clone.withProviderOverride(new MockProvider([answer]));
    const runs = exploreBranches(agent, [
      { messages: ["a?"], configure: provider({ text: "late", begins_after: never }) },
      { messages: ["b?"], configure: provider("b") },
    ]);
    expect(textsOf((await runs[1]?.done) ?? [])).toEqual(["assistant stop: b"]);
    runs[0]?.agent.abort();
    expect(textsOf((await runs[0]?.done) ?? [])).toEqual(["assistant aborted: "]);
  });

  it("Branches of an agent whose loop runs begin before that loop", async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const agent = await prompted([{ text: "slow", begins_after: opened }, "b"]);
    const running = agent.prompt("Slowly?");
    await running.recv();
    const [run] = exploreBranches(agent, [{ messages: ["b?"] }]) as [BranchRun];
    open();
    await Promise.all([run.done, running.done]);
    expect(run.agent.messages).toHaveLength(4);
    expect(agent.messages).toHaveLength(4);
  });
});

describe("wrong branches", () => {
  it.each<[string, unknown, string]>([
    ["no specs", [], "at least one spec"],
    ["no list", {}, "at least one spec"],
    ["an unknown field", [{ prompt: "?" }], "no field `prompt` of specs[0]"],
    ["an answer at the end", [{ messages: ["a?"] }, {}], "specs[1]: agentLoopContinue cannot continue after an answer"],
    [
      "a message of another form",
      [{ messages: ["a?"] }, { messages: [{ role: "user" }] }],
      "specs[1]: A message cannot be read",
    ],
    [
      "an asynchronous function",
      [{ messages: ["a?"] }, { configure: () => Promise.resolve() }],
      "specs[1].configure returned a promise",
    ],
  ])("Branches with %s are refused, and no request is sent", async (_what, specs, text) => {
    const agent = await prompted(["a", "b"]);
    const before = agent.checkpoint();
    expect(() => exploreBranches(agent, specs as BranchSpec[])).toThrow(text);
    expect(agent.checkpoint()).toEqual(before);
    expect((agent.providerOverride as MockProvider).requests).toHaveLength(1);
  });

  it("A wrong option that a branch sets past the builders cancels the branches before it, and no request is sent", async () => {
    let ended = (): void => undefined;
    const end = new Promise<void>((resolve) => (ended = resolve));
    const agent = (await prompted(["a", "b"])).withCallbacks({ afterLoop: () => ended() });
    const configure = (clone: BasicAgent): void => {
      clone.maxTokens = -1;
    };
    const specs = [{ messages: ["a?"] }, { messages: ["b?"], configure }];
    expect(() => exploreBranches(agent, specs)).toThrow("`maxTokens` is -1");
    await end;
    expect((agent.providerOverride as MockProvider).requests).toHaveLength(1);
  });
});
