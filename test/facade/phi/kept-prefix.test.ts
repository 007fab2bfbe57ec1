// What an agent sends over several prompts: each request extends the one before it, so that the cache of a provider is used, until the
// messages or the options are changed. A message that is no longer in the conversation is never sent.

import { beforeEach, describe, expect, it } from "vitest";

import { totalTokens } from "#facade/phi/context/token-counter.ts";
import { agentLoop, BasicAgent, ModelConfig, userMessage } from "#facade/phi/index.ts";
import type { AgentContext, AgentMessage, ContextConfig, Message, TokenCounter } from "#facade/phi/index.ts";
import { modelMessageOf } from "#facade/phi/message-codec.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";

import { assistant, call, textOf } from "./support/conversation-messages.ts";

const modelConfig = ModelConfig.anthropic("mock-model", "Mock", "key");
const budget: ContextConfig = { max_context_tokens: 1000, system_prompt_tokens: 0, keep_recent: 3, keep_first: 1 };

const answers = Array.from({ length: 200 }, (_none, at) => `Answer ${at} ${"word ".repeat(40)}`);

let provider: MockProvider;
let agent: BasicAgent;

beforeEach(() => {
  provider = new MockProvider(answers);
  agent = new BasicAgent(modelConfig).withProviderOverride(provider).withContextConfig(budget);
});

const question = (at: number): string => `Question ${at} ${"word ".repeat(40)}`;

async function promptTimes(times: number, from = 0): Promise<void> {
  for (let at = from; at < from + times; at += 1) await agent.prompt(question(at)).done;
}

const sent = (): string[][] =>
  provider.requests.map(({ messages }) => messages.map((message) => JSON.stringify([message.role, message.content])));

/** The numbers of the requests that do not begin with the request before and its answer. */
function rewrites(requests: readonly string[][]): number[] {
  return requests.flatMap((request, at) => {
    const before = requests[at - 1] ?? [];
    return before.every((message, index) => message === request[index]) ? [] : at;
  });
}

const textsSent = (): string => JSON.stringify(provider.requests.at(-1)?.messages);

describe("the beginning of requests over several prompts", () => {
  it("Each request of an agent extends the request before by its answer and the new prompt, while nothing is compacted", async () => {
    agent.withContextConfig({});
    await promptTimes(12);
    const requests = sent();
    expect(requests.map(({ length }) => length)).toEqual(Array.from({ length: 12 }, (_none, at) => 2 * at + 1));
    expect(rewrites(requests)).toEqual([]);
  });

  it("A compacted list is extended by later prompts, and rewritten only when the free part of the budget is used", async () => {
    await promptTimes(40);
    const rewritten = rewrites(sent());
    expect(rewritten.length).toBeGreaterThan(2);
    expect(rewritten.length).toBeLessThan(10);
    expect(agent.messages).toHaveLength(80);
  });

  it("A continued loop, a rerun and a new session extend the same list", async () => {
    await promptTimes(12);
    const before = sent().at(-1) as string[];
    await agent.rerun().done;
    expect(sent().at(-1)).toEqual(before);
    agent.newSession();
    agent.messages.push(userMessage("And?"));
    await agent.continueLoop().done;
    expect(sent().at(-1)?.slice(0, before.length)).toEqual(before);
    expect(sent().at(-1)).toHaveLength(before.length + 2);
  });

  it("A context that a program gives to several loops is continued as an agent is", async () => {
    const context: AgentContext = { system_prompt: "", messages: [], tools: [] };
    const config = { modelConfig, providerOverride: provider, contextConfig: budget };
    for (let at = 0; at < 12; at += 1)
      await agentLoop([userMessage(question(at))], context, config, { send: () => undefined });
    expect(rewrites(sent()).length).toBeLessThan(6);
    const copies = { ...context, messages: [userMessage("Fresh.")] };
    await agentLoop([userMessage("Go.")], copies, config, { send: () => undefined });
    expect(sent().at(-1)).toHaveLength(2);
  });

  it("A message is converted once for all prompts, and counted at most once in each loop", async () => {
    const counts = new Map<string, number>();
    const token_counter: TokenCounter = {
      count(text) {
        counts.set(text, (counts.get(text) ?? 0) + 1);
        return Math.ceil(text.length / 4);
      },
    };
    agent.withContextConfig({ token_counter });
    await promptTimes(1);
    const [first] = agent.messages as [Message];
    const converted = modelMessageOf(first);
    await promptTimes(4, 1);
    expect(modelMessageOf(first)).toBe(converted);
    expect(counts.get(textOf(first))).toBe(5);
  });
});

describe("changes of a conversation", () => {
  const secret = "the secret word is xyzzy";

  it("After an answer of which a compacted list has one line is changed in place, the line is not sent", async () => {
    provider = new MockProvider([secret, ...answers.map((answer) => answer.repeat(4))]);
    agent.withProviderOverride(provider);
    for (let at = 0; at < 8; at += 1) await agent.prompt("And?").done;
    expect(textsSent()).toContain("xyzzy");
    const [, first] = agent.messages as [AgentMessage, Message];
    expect(provider.requests.at(-1)?.messages).not.toContainEqual(first);
    Object.assign(first.content[0] ?? {}, { text: "[removed]" });
    await promptTimes(1);
    expect(textsSent()).not.toContain("xyzzy");
  });

  it("The conversion of a message that is changed in place is made again", () => {
    const message = userMessage(secret);
    expect(modelMessageOf(message).parts).toEqual([{ type: "text", text: secret }]);
    Object.assign(message.content[0] ?? {}, { text: "changed" });
    expect(modelMessageOf(message).parts).toEqual([{ type: "text", text: "changed" }]);
  });

  /** Prompts until the conversation was compacted and its first prompt, which has the secret, is in what is sent. */
  async function compactWithSecret(): Promise<void> {
    await agent.prompt(secret).done;
    await promptTimes(12);
    expect(textsSent()).toContain("xyzzy");
    expect(rewrites(sent()).length).toBeGreaterThan(0);
  }

  it.each<[string, () => void]>([
    [
      "a text that is changed in place",
      () => Object.assign(contentOf(agent.messages[0])[0] ?? {}, { text: "[removed]" }),
    ],
    ["a block that is replaced", () => contentOf(agent.messages[0]).splice(0, 1, { type: "text", text: "[removed]" })],
    ["a message that is replaced", () => agent.messages.splice(0, 1, userMessage("[removed]"))],
    ["a message that is removed", () => agent.messages.splice(0, 2)],
    ["another list of messages", () => (agent.messages = agent.messages.slice(2))],
    ["restored messages", () => agent.restoreMessages(agent.saveMessages().replace(secret, "[removed]"))],
    ["a restored checkpoint", () => agent.restore({ ...agent.checkpoint(), messages: agent.messages.slice(2) })],
    ["a reset", () => agent.reset()],
  ])("After %s, nothing of the earlier message is sent", async (_, change) => {
    await compactWithSecret();
    change();
    await promptTimes(1, 50);
    expect(textsSent()).not.toContain("xyzzy");
    expect(textsSent()).toContain("Question 50");
  });

  it("A text that is changed in place is sent as it is now, also if nothing was compacted", async () => {
    agent.withContextConfig(null);
    await agent.prompt(secret).done;
    Object.assign(contentOf(agent.messages[0])[0] ?? {}, { text: "changed" });
    await promptTimes(1);
    expect(textsSent()).toContain("changed");
    expect(textsSent()).not.toContain("xyzzy");
  });

  it("Arguments of a call that are changed in place are sent as they are now", async () => {
    const given = { path: { name: "xyzzy" } };
    agent.messages = [
      userMessage("Go."),
      assistant([call("c", "read", given)], 1, { stop_reason: "toolUse" }),
      { role: "toolResult", tool_call_id: "c", tool_name: "read", content: [], is_error: false, timestamp: 2 },
    ];
    await agent.continueLoop().done;
    expect(textsSent()).toContain("xyzzy");
    given.path.name = "other";
    await promptTimes(1);
    expect(textsSent()).toContain('"name":"other"');
    expect(textsSent()).not.toContain("xyzzy");
  });

  it("A lower budget, another counter and another strategy apply from the next prompt on", async () => {
    await compactWithSecret();
    agent.withContextConfig({ ...budget, max_context_tokens: 400 });
    await promptTimes(1);
    expect(sent().at(-1)?.length).toBeLessThan(sent().at(-2)?.length ?? 0);
    const count = (text: string): number => text.length;
    agent.withContextConfig({ ...budget, token_counter: { count } });
    await promptTimes(1);
    expect(totalTokens(provider.requests.at(-1)?.messages ?? [], { count })).toBeLessThanOrEqual(1000);
    agent.withCompactionStrategy({ compact: (messages) => messages.slice(-1) });
    await promptTimes(1);
    expect(sent().at(-1)).toHaveLength(1);
  });

  it("A loop that a reset has cancelled shares nothing with the next prompts", async () => {
    await compactWithSecret();
    const abandoned = agent.prompt("xyzzy again");
    agent.reset();
    await promptTimes(2, 60);
    await abandoned.done;
    expect(textsSent()).not.toContain("xyzzy");
    expect(agent.messages.map(textOf).filter((text) => text.startsWith("Question"))).toHaveLength(2);
  });
});

describe("the trackers of an agent", () => {
  it("The tracker of the context counts what the next request extends, during a loop and after it, also after a compaction and a change", async () => {
    expect(agent.contextTracker).toBeNull();
    const during: (number | undefined)[] = [];
    agent.onAfterTurn(() => void during.push(agent.contextTracker?.currentTokens()));
    await promptTimes(1);
    const counted = () => (agent.messages.at(-1) as AgentMessage & { role: "assistant" }).usage.total_tokens;
    expect(during).toEqual([counted()]);
    expect(agent.contextTracker?.currentTokens()).toBe(counted());
    await promptTimes(12, 1);
    expect(rewrites(sent()).length).toBeGreaterThan(0);
    expect(during.at(-1)).toBe(counted());
    expect(agent.contextTracker?.currentTokens()).toBe(counted());
    agent.messages = [userMessage("Go.")];
    expect(agent.contextTracker?.currentTokens()).toBe(totalTokens(agent.messages));
    agent.reset();
    expect(agent.contextTracker).toBeNull();
  });

  it("The tracker of the context begins with the count of the provider", async () => {
    const usage = { input: 70, output: 20, cache_read: 10, cache_write: 0, total_tokens: 100 };
    agent.withProviderOverride(new MockProvider([{ text: "Hi.", usage }])).withContextConfig(null);
    await agent.prompt("Hello.").done;
    expect(agent.contextTracker?.currentTokens()).toBe(100);
    const more = userMessage("More.");
    agent.messages.push(more);
    expect(agent.contextTracker?.currentTokens()).toBe(100 + totalTokens([more]));
  });

  it("The tracker of the limits has the turns and tokens of the loop that runs, and of the last one afterwards", async () => {
    expect(agent.executionTracker).toBeNull();
    const usage = { input: 70, output: 30 };
    agent.withProviderOverride(
      new MockProvider([
        { tool_calls: [{ name: "none", arguments: {} }], usage },
        { text: "Done.", usage },
        { text: "Hi.", usage },
      ]),
    );
    const during: (number | undefined)[] = [];
    agent.onAfterTurn(() => void during.push(agent.executionTracker?.turns));
    await agent.prompt("Go.").done;
    expect(during).toEqual([1, 2]);
    expect(agent.executionTracker).toMatchObject({ turns: 2, tokens_used: 200, limits: { max_turns: 50 } });
    await agent.prompt("Again.").done;
    expect(agent.executionTracker).toMatchObject({ turns: 1, tokens_used: 100 });
    agent.withExecutionLimits(null);
    await agent.prompt("Once more.").done;
    expect(agent.executionTracker).toBeNull();
  });
});

function contentOf(message: AgentMessage | undefined): (AgentMessage & { role: "user" })["content"] {
  if (message?.role !== "user") throw new Error("The message has no content.");
  return message.content;
}
