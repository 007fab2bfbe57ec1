// What a loop and an agent refuse before they emit an event or change a context, and how a program notices it.

import { describe, expect, it } from "vitest";

import { agentLoop, agentLoopContinue, BasicAgent, createTool, LoopError, userMessage } from "#facade/phi/index.ts";
import type { AgentContext, AgentEvent, AgentLoopConfig, AgentMessage } from "#facade/phi/index.ts";
import { exploreBranches, SubAgentTool } from "#facade/phi/loop-agents.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import { ModelConfig } from "#facade/phi/provider/model-config.ts";

const model = () => ModelConfig.anthropic("mock-model", "Mock", "key");
const hello = (): AgentMessage => userMessage("Hello.");

function contextOf(fields: object = {}): AgentContext {
  return { system_prompt: "", messages: [], tools: [], agent_id: "agent", session_id: "session", ...fields };
}

interface Refused {
  config?: object;
  context?: object;
  prompts?: unknown;
  cancel?: unknown;
  isContinued?: boolean;
}

/** Runs a loop that has to be refused. Returns the error, the events, the requests and the context. */
async function refused({
  config = {},
  context: fields = {},
  prompts = [hello()],
  cancel,
  isContinued = false,
}: Refused) {
  const events: AgentEvent[] = [];
  const provider = new MockProvider();
  const context = contextOf(fields);
  const before = structuredClone(context);
  const options = { modelConfig: model(), providerOverride: provider, ...config } as AgentLoopConfig;
  const tx = { send: (event: AgentEvent) => void events.push(event) };
  const run = isContinued
    ? agentLoopContinue(context, options, tx, cancel as never)
    : agentLoop(prompts as AgentMessage[], context, options, tx, cancel as never);
  const error: unknown = await run.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  const isUnchanged = JSON.stringify(context.messages) === JSON.stringify(before.messages);
  return { error, events, requests: provider.requests.length, isUnchanged };
}

const nothingHappened = { events: [], requests: 0, isUnchanged: true };

describe("a loop", () => {
  it.each([
    ["limit", { executionLimits: { max_turns: -1 } }, /max_turns` is -1/],
    ["misspelt limit", { executionLimits: { max_turn: 1 } }, /no option `max_turn`/],
    ["budget", { contextConfig: { max_context_tokens: 0 } }, /max_context_tokens` is 0/],
    ["misspelt budget", { contextConfig: { keepFirst: 1 } }, /no option `keepFirst`/],
    ["trigger", { firstTurnTrigger: "Somebody" }, /`firstTurnTrigger` is Somebody/],
    ["group of calls", { toolExecution: { Batched: { size: 2, max: 3 } } }, /has to be .*{ Batched: { size } }/],
    ["mode of calls", { toolExecution: { Batched: { size: 2 }, Parallel: true } }, /has to be .*{ Batched: { size } }/],
    ["empty id", { configId: "" }, /`configId` is "". It has to be a text that is not empty/],
  ])(
    "A wrong %s is refused before the first event, and the context stays as it was",
    async (_name, config, message) => {
      const { error, ...rest } = await refused({ config });
      expect(rest).toEqual(nothingHappened);
      expect(error).toMatchObject({ name: "LoopError", message: expect.stringMatching(message) as string });
    },
  );

  it.each([
    ["a text", ["Hello."]],
    ["null", [null]],
    ["a message whose content is a text", [{ role: "user", content: "Hello.", timestamp: 1 }]],
    ["a message with the role system", [{ role: "system", content: [], timestamp: 1 }]],
    ["a block of an unknown type", [{ role: "user", content: [{ type: "video" }], timestamp: 1 }]],
  ])("A list with %s is refused as prompts and as messages of a context, by its position", async (_what, list) => {
    for (const given of [{ prompts: list }, { context: { messages: list } }]) {
      const { error, ...rest } = await refused(given);
      expect(rest).toEqual(nothingHappened);
      expect(error).toMatchObject({ name: "LoopError", message: expect.stringContaining("element 0") as string });
    }
  });

  it.each([
    ["agent_id", null],
    ["agent_id", ""],
    ["session_id", null],
  ])("A loop that continues with the %s %j is refused, and no id is made", async (name, id) => {
    const given = { context: { messages: [hello()], [name]: id }, isContinued: true };
    const { error, ...rest } = await refused(given);
    expect(rest).toEqual(nothingHappened);
    expect(String(error)).toContain(`requires context.${name} to be set`);
  });

  it("A cancellation of null is refused by its name", async () => {
    const { error, ...rest } = await refused({ cancel: null });
    expect(rest).toEqual(nothingHappened);
    expect(String(error)).toContain("`cancel` has to be");
  });

  it("An error shows neither a text in place of an object, which may be a key, nor the source of a function", async () => {
    const key = await refused({ config: { modelConfig: "sk-a-secret-key" } });
    expect(String(key.error)).toBe("LoopError: The option `modelConfig` is a text. It has to be an object.");
    const source = await refused({ config: { maxTokens: () => "sk-a-secret-key" } });
    expect(String(source.error)).toBe("LoopError: The option `maxTokens` is a function. It has to be a number.");
  });
});

describe("createTool", () => {
  const right = { name: "look", description: "", parameters: { type: "object" }, execute: () => "" };

  it.each([
    ["a misspelt option", { ...right, execut: () => "" }, /no field `execut` of the tool.*name, label, description/],
    ["an option of other tools", { ...right, sequential: true }, /no field `sequential` of the tool/],
    ["no function", { name: "look", description: "", parameters: {} }, /"look" has no function `execute`/],
    ["a text as the function", { ...right, execute: "look" }, /"look" has no function `execute`/],
    ["nothing", undefined, /no function `execute`/],
  ])("A tool made of %s is refused by its name", (_what, options, message) => {
    const make = () => createTool(options as never);
    expect(make).toThrow(LoopError);
    expect(make).toThrow(message);
  });
});

describe("an agent", () => {
  it.each([
    ["limits", (agent: BasicAgent) => agent.withExecutionLimits({ max_turns: -1 }), /max_turns` is -1/],
    ["budgets", (agent: BasicAgent) => agent.withContextConfig({ keep_first: 0.5 }), /keep_first` is 0.5/],
    ["models", (agent: BasicAgent) => agent.withModelConfig({ id: "m" } as never), /`model_config.name` is missing/],
    ["providers", (agent: BasicAgent) => agent.withProviderOverride({} as never), /no function `providerId`/],
    ["retries", (agent: BasicAgent) => agent.withRetryConfig({ max_retries: -1 } as never), /`max_retries` .* is -1/],
    ["thinking", (agent: BasicAgent) => agent.withThinking("high" as never), /The thinking level is "high"/],
    ["cache marks", (agent: BasicAgent) => agent.withCacheConfig("Auto" as never), /`cacheConfig` is a text/],
    ["ids", (agent: BasicAgent) => agent.withConfigId(""), /`configId` is ""/],
    ["further tools", (agent: BasicAgent) => agent.addTools(undefined as never), /`tools` is undefined/],
    ["skills", (agent: BasicAgent) => agent.withSkills(undefined as never), /has the function `formatForPrompt`/],
    ["skills of a folder", (agent: BasicAgent) => agent.withSkills("skills" as never), /`formatForPrompt`/],
  ])("The builder of %s refuses a wrong value, and the agent keeps its value", (_name, set, message) => {
    const agent = new BasicAgent(model());
    const before = Object.entries(agent);
    expect(() => set(agent)).toThrow(LoopError);
    expect(() => set(agent)).toThrow(message);
    expect(Object.entries(agent)).toEqual(before);
  });

  it.each([
    ["providers", (tool: SubAgentTool) => tool.withProviderOverride({} as never), /no function `providerId`/],
    ["retries", (tool: SubAgentTool) => tool.withRetryConfig({ max_retries: -1 } as never), /`max_retries` .* is -1/],
    ["thinking", (tool: SubAgentTool) => tool.withThinking("high" as never), /The thinking level is "high"/],
  ])("The builder of %s of a sub-agent refuses a wrong value at once", (_name, set, message) => {
    expect(() => set(new SubAgentTool("helper", model()))).toThrow(message);
  });

  it.each([
    ["a hook", (agent: BasicAgent) => agent.withCallbacks({ beforeLoop: () => Promise.reject(new Error("refused")) })],
    ["a filter", (agent: BasicAgent) => agent.withInputFilter({ filter: () => Promise.reject(new Error("refused")) })],
  ])(
    "A program that reads the events alone notices that %s has failed, because the iteration throws its error",
    async (_what, set) => {
      const agent = set(new BasicAgent(model()).withProviderOverride(new MockProvider()));
      const run = agent.prompt("Hello.");
      const read = async () => {
        for await (const event of run) expect(event.type).toBe("never");
      };
      await expect(read()).rejects.toThrow("refused");
      await expect(run.done).rejects.toThrow("refused");
      expect(agent).toMatchObject({ isStreaming: false, messages: [] });
    },
  );

  it("The iteration over the events of a branch throws the error of its loop too", async () => {
    const agent = new BasicAgent(model()).withProviderOverride(new MockProvider());
    agent.messages = [hello()];
    const [branch] = exploreBranches(agent, [
      { configure: (clone) => void clone.withCallbacks({ beforeLoop: () => Promise.reject(new Error("refused")) }) },
    ]);
    const read = async () => {
      for await (const event of branch ?? []) expect(event.type).toBe("never");
    };
    await expect(read()).rejects.toThrow("refused");
  });

  it("A prompt that is one message in place of a list is refused by what it has to be", () => {
    const agent = new BasicAgent(model()).withProviderOverride(new MockProvider());
    expect(() => agent.promptMessages(hello() as never)).toThrow(/has to be a list of messages/);
    expect(agent.isStreaming).toBe(false);
  });
});
