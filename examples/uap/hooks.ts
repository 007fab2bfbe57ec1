// The programs of UAP-1.0 §10: hooks.

import { agent, AgentState } from "threadhold/agents";
import { react } from "threadhold/agents/execution";

import { anthropic, Bash, Read, Write } from "./stand-ins.ts";

/** §10.3: three conditions that end an execution. */
export async function stopConditions(): Promise<unknown> {
  const assistant = agent({
    model: anthropic("claude-sonnet-5-5"),
    execution: react(), // Infinite by default
    tools: [Read],
    strategy: {
      stopCondition: (state) => {
        // Stop on explicit completion signal
        if (state.metadata.taskComplete) return true;

        // Stop on budget
        if ((state.metadata.totalTokens as number) > 50000) return true;

        // Stop on time
        if (Date.now() - (state.metadata.startTime as number) > 300000) return true;

        return false;
      },
    },
  });

  const begun = AgentState.initial().withMetadata("startTime", Date.now());
  const { state: complete } = await assistant.generate("Read the file", begun);
  const { state: stopped } = await assistant.generate("Read the file", begun.withMetadata("taskComplete", true));
  return [complete.step, stopped.step];
}

/** §10.4: hooks of the agent next to the tool strategy of UPP. */
export async function toolStrategy(): Promise<unknown> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const coder = agent({
    model: anthropic("claude-sonnet-5-5"),
    tools: [Bash, Read, Write],
    // UAP-level hooks (step lifecycle)
    strategy: {
      onStepStart: (step, _state) => print(`Step ${step}`),
      onComplete: (_result) => print("Done"),
    },
    // UPP-level hooks (real-time tool execution)
    toolStrategy: {
      maxIterations: Infinity, // UAP standard
      onToolCall: (tool, _params) => print(`Calling ${tool.name}`),
      onAfterCall: (tool, _params, _result) => print(`${tool.name} completed`),
    },
  });
  await coder.query("Run the command");
  return lines;
}
