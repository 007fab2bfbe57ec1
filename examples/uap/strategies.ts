// The programs of UAP-1.0 §5: execution strategies.

import { agent, AgentState } from "threadhold/agents";
import type { ExecutionStrategy } from "threadhold/agents";
import { loop, plan } from "threadhold/agents/execution";

import { anthropic, calculator, Read, Write } from "./stand-ins.ts";

/** §5.2: `loop` without and with a limit. */
export async function loops(): Promise<unknown> {
  // Infinite by default - loops until model stops calling tools
  const simple = agent({
    model: anthropic("claude-sonnet-5-5"),
    execution: loop(), // maxIterations: Infinity
    tools: [calculator],
  });

  // Explicit limit when needed
  const limited = agent({
    model: anthropic("claude-sonnet-5-5"),
    execution: loop({ maxIterations: 5 }),
    tools: [calculator],
  });

  const turns = [await simple.query("What is 6 * 7?"), await limited.query("What is 6 * 7?")];
  return turns.map(({ toolExecutions }) => toolExecutions.map(({ toolName, result }) => [toolName, result]));
}

/** §5.4: `plan`, and the statuses of its steps. */
export async function plans(): Promise<unknown> {
  const planner = agent({
    model: anthropic("claude-sonnet-5-5"),
    execution: plan(),
    tools: [Read, Write],
  });
  const { state } = await planner.generate("Mend the file", AgentState.initial());
  return state.plan?.map(({ id, status, dependsOn }) => [id, status, dependsOn]);
}

/** §5.5: a custom strategy, which calls the hooks of a step itself. */
export async function custom(): Promise<unknown> {
  const customStrategy: ExecutionStrategy = {
    name: "custom",

    execute: async (context) => {
      const { llm, input, state, strategy } = context;

      strategy.onStepStart?.(1, state);

      // Custom execution logic
      const turn = await llm.generate(state.messages, input);
      const newState = state.withMessages(turn.messages);

      strategy.onStepEnd?.(1, { turn, state: newState });

      return { turn, state: newState };
    },
  };

  const steps: string[] = [];
  const assistant = agent({
    model: anthropic("claude-sonnet-5-5"),
    execution: customStrategy,
    strategy: {
      onStepStart: (step) => void steps.push(`start ${step}`),
      onStepEnd: (step) => void steps.push(`end ${step}`),
    },
  });
  const { state } = await assistant.generate("Hello", AgentState.initial());
  return [state.messages.length, steps];
}
