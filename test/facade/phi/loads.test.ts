// Loads in a small form: many agents at the same time, and long conversations. The bounds are counts, never times.

import { expect, it } from "vitest";

import { BasicAgent, createTool, messageTokens, ModelConfig } from "#facade/phi/index.ts";
import type { AgentEvent, AgentMessage, ContextConfig } from "#facade/phi/index.ts";
import { MockProvider } from "#facade/phi/provider/mock-provider.ts";
import type { MockResponse } from "#facade/phi/provider/mock-provider.ts";

import { problemsOf } from "./support/event-grammar.ts";
import { nameOf, textsOf } from "./support/play.ts";

const call = (name: string, args = {}) => ({ name, arguments: args });
const tool = (name: string, execute: Parameters<typeof createTool>[0]["execute"]) =>
  createTool({ name, description: "A tool.", parameters: { type: "object" }, execute });
const agentOf = (answers: MockResponse[]) =>
  new BasicAgent(ModelConfig.anthropic("claude-sonnet-4-5", "Claude", "sk-key")).withProviderOverride(
    new MockProvider(answers, { strict: true }),
  );

/** The events of a run, to its end. */
async function eventsOf(run: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

it("100 agents with 10 concurrent calls each run at the same time, and each result and each event belongs to its agent", async () => {
  const work = tool("work", async ({ id }) => {
    await Promise.resolve();
    return `result ${id as string}`;
  });
  const runs = Array.from({ length: 100 }, (_none, agent) =>
    agentOf([
      { tool_calls: Array.from({ length: 10 }, (_call, at) => call("work", { id: `${agent}-${at}` })) },
      { text: `Done by ${agent}.` },
    ])
      .withTools([work])
      .prompt(`Go, ${agent}.`),
  );
  const all = await Promise.all(runs.map(async (run) => ({ messages: await run.done, events: await eventsOf(run) })));
  const loops = new Set<string>();
  for (const [agent, { messages, events }] of all.entries()) {
    const results = messages.filter(({ role }) => role === "toolResult");
    expect(textsOf(results)).toEqual(Array.from({ length: 10 }, (_call, at) => `toolResult: result ${agent}-${at}`));
    // The grammar also refuses events of two loops.
    expect(problemsOf(events)).toEqual([]);
    const [start] = events;
    loops.add(start?.type === "AgentStart" ? start.loop_id : "");
    const shown = events.flatMap((event) => (event.type === "MessageEnd" ? [event.message] : []));
    expect(
      textsOf(shown)
        .filter((text) => !text.startsWith("toolResult"))
        .join(),
    ).toMatch(new RegExp(`^user: Go, ${agent}\\.,assistant toolUse: .*,assistant stop: Done by ${agent}\\.$`));
    const started = events.flatMap((event) => (event.type === "ToolExecutionStart" ? [event.args] : []));
    expect(started).toEqual(Array.from({ length: 10 }, (_call, at) => ({ id: `${agent}-${at}` })));
  }
  expect(loops.size).toBe(100);
});

/** An agent that calls a tool in each turn but its last, what it sent, and the length of its context after each turn. */
function longConversation(turns: number, config: ContextConfig) {
  const sent: AgentMessage[][] = [];
  const lengths: number[] = [];
  const answers = Array.from({ length: turns }, (_none, turn): MockResponse => ({ messages }) => {
    sent.push(messages);
    return turn === turns - 1 ? "Done." : { text: `Working ${turn}.`, tool_calls: [call("work")] };
  });
  let calls = 0;
  const agent = agentOf(answers)
    .withTools([tool("work", () => `${(calls += 1)} ${"x".repeat(100)}`)])
    .withContextConfig(config)
    .withExecutionLimits(null)
    .onAfterTurn(({ length }) => void lengths.push(length));
  return { agent, sent, lengths };
}

const kept = { keep_first: 2, keep_recent: 10 };
const budget = { max_context_tokens: 2000, system_prompt_tokens: 0, ...kept };
const tokensOf = (messages: AgentMessage[]): number => messages.reduce((sum, one) => sum + messageTokens(one), 0);

it("In 1,000 turns with compaction each sent list is within its budget, keeps the first and the recent messages, and is rewritten only when it is full", async () => {
  const turns = 1000;
  const { agent, sent } = longConversation(turns, budget);
  await agent.prompt("Go.").done;
  expect(sent).toHaveLength(turns);
  expect(Math.max(...sent.map(tokensOf))).toBeLessThanOrEqual(2000);
  const whole = textsOf(agent.messages);
  expect(whole).toHaveLength(2 * turns);
  let rewrites = 0;
  let before: AgentMessage[] = [];
  for (const [turn, messages] of sent.entries()) {
    const texts = textsOf(messages);
    const soFar = whole.slice(0, 1 + 2 * turn);
    expect(texts[0]).toBe("user: Go.");
    expect(texts.slice(-10)).toEqual(soFar.slice(-10));
    if (textsOf(before).join("\n") !== texts.slice(0, before.length).join("\n")) {
      rewrites += 1;
      // The two messages of the last turn would not have fitted.
      expect(tokensOf([...before, ...messages.slice(-2)])).toBeGreaterThan(2000);
    }
    before = messages;
  }
  expect(rewrites).toBeGreaterThan(10);
  const longest = (lists: AgentMessage[][]): number => Math.max(...lists.map(({ length }) => length));
  expect(longest(sent.slice(200))).toBeLessThanOrEqual(longest(sent.slice(0, 200)));
});

it("In 1,000 turns with applyToContext the messages of an agent stay as few as its budget has place for", async () => {
  const { agent, sent, lengths } = longConversation(1000, { ...budget, compaction: { applyToContext: true } });
  await agent.prompt("Go.").done;
  expect(lengths).toHaveLength(1000);
  const most = Math.floor(
    2000 / Math.min(...sent.slice(-100).flatMap((list) => list.map((one) => messageTokens(one)))),
  );
  expect(Math.max(...lengths)).toBeLessThanOrEqual(most + 2);
  expect(Math.max(...lengths.slice(200))).toBeLessThanOrEqual(Math.max(...lengths.slice(0, 200)));
  expect(agent.messages).toHaveLength(lengths.at(-1) ?? 0);
});

it("Several prompts of one agent continue one conversation with one order of events", async () => {
  const agent = agentOf(["One.", "Two.", "Three."]);
  const events: AgentEvent[][] = [];
  for (const text of ["1", "2", "3"]) {
    const run = agent.prompt(text);
    const list: AgentEvent[] = [];
    for await (const event of run) list.push(event);
    events.push(list);
  }
  expect(events[1]?.map(nameOf)).toEqual(events[0]?.map(nameOf));
  expect(agent.messages).toHaveLength(6);
});
