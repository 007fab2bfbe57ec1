// The programs of UAP-1.0 §6: the state, and middleware that keeps it within the context of a model.

import { agent, AgentState } from "threadhold/agents";
import type { Agent, Middleware } from "threadhold/agents";
import { AssistantMessage, isToolResultMessage, ToolResultMessage, UserMessage } from "threadhold/upp";
import type { AnyMessage, ToolResult } from "threadhold/upp";

import { anthropic, storage, sum } from "./stand-ins.ts";

const assistant = agent({ model: anthropic("claude-sonnet-5-5") });

/** §6.2: append or replace. */
export async function messageOperations(): Promise<unknown> {
  const state = AgentState.initial().withMessage(new UserMessage("Hello")).withMessage(new AssistantMessage("Hi"));

  // Append: messages = [Hello, Hi, Goodbye]
  const appended = state.withMessages([new UserMessage("Goodbye")]);

  // Replace: messages = [Fresh start]
  const replaced = state.withContext([new UserMessage("Fresh start")]);

  return [appended, replaced].map(({ messages }) => messages.map(({ text }) => text));
}

/** §6.2, pattern 1: replaces old results of tools by a short text. */
const pruneToolOutputs = (CONTEXT_LIMIT = 200000, OUTPUT_RESERVE = 16000, PROTECT_RECENT = 40000): Middleware => ({
  name: "prune-tool-outputs",

  before: async (ctx) => {
    // Simple token estimation: ~4 chars per token
    const estimate = (msg: AnyMessage) => JSON.stringify(msg).length / 4;
    const total = sum(ctx.state.messages.map(estimate));

    const usable = CONTEXT_LIMIT - OUTPUT_RESERVE;
    if (total <= usable) return ctx;

    // Scan backwards, protect recent tokens, prune old tool outputs
    const messages = [...ctx.state.messages];
    let protectedTokens = 0;

    for (let i = messages.length - 1; i >= 0; i--) {
      const msg = messages[i] as AnyMessage;
      const msgTokens = estimate(msg);
      protectedTokens += msgTokens;

      if (protectedTokens > PROTECT_RECENT && isToolResultMessage(msg)) {
        // Replace tool output with placeholder
        messages[i] = new ToolResultMessage([
          {
            toolCallId: (msg.results[0] as ToolResult).toolCallId,
            result: "[Output cleared - context limit]",
          },
        ]);
      }
    }

    return { ...ctx, state: ctx.state.withContext(messages) };
  },
});

/** §6.2, pattern 2: keeps the last messages. */
const slidingWindow = (MAX_MESSAGES = 50): Middleware => ({
  name: "sliding-window",

  before: async (ctx) => {
    const messages = ctx.state.messages;

    if (messages.length <= MAX_MESSAGES) return ctx;

    // Keep most recent, ensuring we don't split user/assistant pairs
    const truncated = messages.slice(-MAX_MESSAGES);
    return { ...ctx, state: ctx.state.withContext(truncated) };
  },
});

/** §6.2, pattern 3: replaces old messages by a summary of a model. */
const summarizeOldContext = {
  name: "summarize-context",

  // Summarizer passed at construction
  init: (summarizerLLM: Agent, THRESHOLD = 150000, KEEP_RECENT = 10): Middleware => ({
    name: "summarize-context",

    before: async (ctx) => {
      const estimate = (msg: AnyMessage) => JSON.stringify(msg).length / 4;
      const total = sum(ctx.state.messages.map(estimate));

      if (total <= THRESHOLD) return ctx;

      const messages = ctx.state.messages;
      const old = messages.slice(0, -KEEP_RECENT);
      const recent = messages.slice(-KEEP_RECENT);

      // Generate summary of old context
      const summary = await summarizerLLM.query(
        "Summarize this conversation, preserving key facts:\n" + old.map((m) => JSON.stringify(m)).join("\n"),
      );

      // Replace with summary + recent messages
      return {
        ...ctx,
        state: ctx.state.withContext([
          new UserMessage("[Previous conversation summary]\n" + summary.response.text),
          ...recent,
        ]),
      };
    },
  }),
};

/** A conversation with a long tool result at its beginning. */
function longConversation(): AgentState {
  const read = { toolCallId: "call-1", toolName: "Read", arguments: { path: "a.ts" } };
  return AgentState.initial().withMessages([
    new UserMessage("Read a.ts"),
    new AssistantMessage("", [read]),
    new ToolResultMessage([{ toolCallId: "call-1", result: "line\n".repeat(1000) }]),
    new AssistantMessage("Done."),
    ...Array.from({ length: 10 }, (_, index) => new UserMessage(`Note ${index}`)),
  ]);
}

/** §6.2: the three patterns, each alone. The limits are small, so that a short conversation exceeds them. */
export async function contextWindow(): Promise<unknown> {
  const model = anthropic("claude-sonnet-5-5");
  const summarizer = agent({ model: anthropic("claude-haiku-5-5"), params: { max_tokens: 500 } });
  const patterns = [pruneToolOutputs(1000, 100, 200), slidingWindow(5), summarizeOldContext.init(summarizer, 1000, 3)];
  const outcomes = [];
  for (const middleware of patterns) {
    const { state } = await agent({ model, middleware: [middleware] }).generate("Continue", longConversation());
    const results = state.messages.filter(isToolResultMessage).map(({ results: [first] }) => first?.result);
    outcomes.push([middleware.name, state.messages.length, results, state.messages[0]?.text.split("\n")[0]]);
  }
  return outcomes;
}

/** §6.2: the three patterns together. */
export async function composedContext(): Promise<unknown> {
  const summarizer = agent({ model: anthropic("claude-haiku-5-5"), params: { max_tokens: 500 } });
  const careful = agent({
    model: anthropic("claude-sonnet-5-5"),
    middleware: [
      pruneToolOutputs(), // First: clear stale tool outputs
      slidingWindow(100), // Then: cap message count
      summarizeOldContext.init(summarizer), // Finally: summarize if still over
    ],
  });
  return (await careful.generate("Continue", longConversation())).state.messages.length;
}

/** §6.3: two executions begin with the same state. */
export async function stateFlow(): Promise<unknown> {
  const agent = assistant;
  // Initialize
  const s0 = AgentState.initial();

  // First interaction
  const { turn: t1, state: s1 } = await agent.generate("Hello", s0);

  // s0 is unchanged - can branch
  const { state: s2a } = await agent.generate("Option A", s0);
  const { state: s2b } = await agent.generate("Option B", s0);

  // Continue from s1
  const { state: s2 } = await agent.generate("Continue", s1);

  // Inspect any state at any time
  return [
    s0.messages.length, // none
    s1.messages.length === t1.messages.length, // [user, assistant from t1]
    s2.messages.map(({ type }) => type), // [user, assistant from t1, user, assistant from t2]
    [s2a, s2b].map(({ messages }) => messages[0]?.text),
    new Set([s0.id, s1.id, s2a.id, s2b.id, s2.id]).size,
  ];
}

/** §6.4: a state is saved as JSON, restored and continued. */
export async function stateSerialization(): Promise<unknown> {
  const agent = assistant;
  const { state } = await agent.generate("Hello", AgentState.initial());

  // Save state
  const json = state.toJSON();
  await storage.save(`state:${state.id}`, JSON.stringify(json));

  // Restore state
  const saved = JSON.parse(await storage.load(`state:${state.id}`));
  const restored = AgentState.fromJSON(saved);

  // Continue from restored state
  const { state: newState } = await agent.generate("Continue", restored);

  return [restored.id === state.id, newState.messages.length];
}
