// The program of UAP-1.0, appendix B.

import { agent, AgentState } from "threadhold/agents";
import { react } from "threadhold/agents/execution";
import { logging } from "threadhold/agents/middleware";
import type { Tool } from "threadhold/upp";

import { anthropic, Bash, Glob, Grep, print, Read, storage, Write } from "./stand-ins.ts";

// Define a sub-agent
const explorer = agent({
  model: anthropic("claude-haiku-5-5"),
  tools: [Glob, Grep, Read],
  system: "You explore codebases and report findings.",
});

// Explicitly define sub-agent as tool
const explorerTool: Tool = {
  name: "explore",
  description: "Explore codebase to find relevant files and code",
  parameters: {
    type: "object",
    properties: {
      query: { type: "string", description: "What to find" },
    },
    required: ["query"],
  },
  run: async (params: { query: string }) => {
    const turn = await explorer.query(params.query);
    return turn.response.text;
  },
};

// Main agent with explicit limits (developer's choice)
const coder = agent({
  model: anthropic("claude-sonnet-5-5"),
  execution: react(), // Infinite by default
  tools: [Bash, Read, Write, explorerTool],
  system: "You are an expert software engineer.",
  middleware: [logging({ level: "info" })],
  // UAP-level hooks (step lifecycle)
  strategy: {
    // Developer implements their own limits
    stopCondition: (state) => {
      if (state.metadata.taskComplete) return true;
      if (state.step > 50) return true; // Explicit step limit
      return false;
    },
    onStepStart: (step, _state) => print(`Step ${step}`),
    onComplete: (result) => print(`Done: ${result.turn.usage.totalTokens} tokens`),
  },
  // UPP-level hooks (real-time tool execution)
  toolStrategy: {
    maxIterations: Infinity, // UAP standard - no artificial limits
    onToolCall: (tool, _params) => print(`🔧 ${tool.name}`),
    onAfterCall: (tool, _params, _result) => print(`✓ ${tool.name} completed`),
  },
});

export async function complete(): Promise<unknown> {
  // Functional execution
  let s0 = AgentState.initial();
  s0 = s0.withMetadata("startTime", Date.now());

  const { turn, state } = await coder.generate("Find and fix all TypeScript errors", s0);

  // Save state for later
  const json = state.toJSON();
  await storage.save("my-task", JSON.stringify(json));

  // Restore and continue
  const saved = JSON.parse(await storage.load("my-task"));
  const restored = AgentState.fromJSON(saved);
  const { turn: t2, state: s2 } = await coder.generate("Now add tests", restored);

  return [
    [turn, t2].map(({ toolExecutions }) => toolExecutions.map(({ toolName, isError }) => [toolName, isError])),
    s2.messages.length > state.messages.length,
    typeof s2.metadata["startTime"],
  ];
}
