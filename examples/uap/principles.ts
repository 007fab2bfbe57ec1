// The programs of UAP-1.0 §2: design principles.

import { agent, AgentState } from "threadhold/agents";
import { loop, react } from "threadhold/agents/execution";
import type { Tool } from "threadhold/upp";

import { anthropic, Bash, Glob, Grep, print, Read, Write } from "./stand-ins.ts";

/** §2.1: the values are those of UPP. */
export async function typeUniformity(): Promise<unknown> {
  const assistant = agent({ model: anthropic("claude-sonnet-5-5") });
  const initialState = AgentState.initial();

  const { turn, state } = await assistant.generate("Hello", initialState);
  // turn is standard UPP Turn, state is explicit AgentState

  return [turn.response.text, state.messages.length];
}

/** §2.2: the state is passed in and returned. */
export async function explicitState(): Promise<unknown> {
  const assistant = agent({ model: anthropic("claude-sonnet-5-5") });

  // Explicit state flow
  const state0 = AgentState.initial();

  const { turn: turn1, state: state1 } = await assistant.generate("First message", state0);
  const { turn: turn2, state: state2 } = await assistant.generate("Second message", state1);

  // State is explicit and inspectable
  print(state2.messages.length); // Developer knows exactly what's there
  print(state2.step); // Current step count

  // Branching is trivial—just use different states
  const { turn: turn3a, state: state3a } = await assistant.generate("Option A", state1);
  const { turn: turn3b, state: state3b } = await assistant.generate("Option B", state1);

  const texts = [turn1, turn2, turn3a, turn3b].map((turn) => turn.response.text);
  return [...texts, state3a.messages.length, state3b.messages.length];
}

/** §2.3: one definition, several strategies. */
export async function decoupledExecution(): Promise<unknown> {
  // Same agent definition, different execution strategies
  const coder = agent({
    model: anthropic("claude-sonnet-5-5"),
    tools: [Bash, Read, Write],
    system: "You are a coding assistant.",
  });

  // Use ReAct for complex reasoning
  const reactCoder = agent({ ...coder, execution: react() });

  // Use simple loop for straightforward tasks
  const loopCoder = agent({ ...coder, execution: loop() });

  const { state: reasoned } = await reactCoder.generate("Read the file", AgentState.initial());
  const { state: looped } = await loopCoder.generate("Read the file", AgentState.initial());
  return [reasoned.reasoning.length > 0, looped.reasoning.length];
}

/** §2.4: limits are the developer's choice. */
export async function infiniteByDefault(): Promise<unknown> {
  // No limits - model runs until it decides to stop
  const unlimited = agent({
    model: anthropic("claude-sonnet-5-5"),
    execution: react(), // maxSteps: Infinity by default
    // toolStrategy.maxIterations: Infinity by default (UPP level)
  });

  // Developer explicitly sets limits
  const limited = agent({
    model: anthropic("claude-sonnet-5-5"),
    execution: react({ maxSteps: 20 }), // Explicit UAP step limit
    toolStrategy: {
      maxIterations: 50, // Explicit UPP tool iteration limit
    },
    strategy: {
      stopCondition: (state) => (state.metadata.budget as number) > 10000, // Custom limit
    },
  });

  return [(await unlimited.query("Hello")).response.text, (await limited.query("Hello")).response.text];
}

/** §2.6: a sub-agent is a tool with an explicit schema. */
export async function explicitSubAgent(): Promise<unknown> {
  // CORRECT: Explicit sub-agent tool declaration
  const explorer = agent({
    model: anthropic("claude-haiku-5-5"),
    tools: [Glob, Grep, Read],
  });

  // Must explicitly define the tool interface
  const explorerTool: Tool = {
    name: "explore_codebase",
    description: "Explores and analyzes codebase structure",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "What to explore" },
        depth: { type: "number", description: "Search depth" },
      },
      required: ["query"],
    },
    run: async (params: { query: string }) => {
      const { turn } = await explorer.generate(params.query, AgentState.initial());
      return turn.response.text;
    },
  };

  const coder = agent({ model: anthropic("claude-sonnet-5-5"), tools: [explorerTool] });
  const turn = await coder.query("Explore the code");
  return turn.toolExecutions.map(({ toolName, isError }) => [toolName, isError]);
}
