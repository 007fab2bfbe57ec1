// The programs of UAP-1.0 §8: sub-agents, and the order of calls.

import { agent, AgentState, subagentTool } from "threadhold/agents";
import type { Tool } from "threadhold/upp";

import { anthropic, Bash, generateId, Glob, Grep, Read, Write } from "./stand-ins.ts";

/** §8.2: a tool with a schema of its own executes a sub-agent. */
export async function explicitTool(): Promise<unknown> {
  // Define the sub-agent
  const explorer = agent({
    model: anthropic("claude-haiku-5-5"),
    tools: [Glob, Grep, Read],
    system: "You explore codebases.",
  });

  // Explicitly define the tool interface
  const explorerTool: Tool = {
    name: "explore_codebase",
    description: "Explores codebase structure and finds relevant files",
    parameters: {
      type: "object",
      properties: {
        query: {
          type: "string",
          description: "What to search for in the codebase",
        },
        fileTypes: {
          type: "array",
          items: { type: "string" },
          description: "File extensions to include (e.g., ['.ts', '.js'])",
        },
      },
      required: ["query"],
    },
    run: async (params: { query: string; fileTypes?: string[] }) => {
      let prompt = `Find: ${params.query}`;
      if (params.fileTypes) {
        prompt += ` in files: ${params.fileTypes.join(", ")}`;
      }
      const turn = await explorer.query(prompt);
      return turn.response.text;
    },
  };

  // Use in parent agent
  const coder = agent({
    model: anthropic("claude-sonnet-5-5"),
    tools: [explorerTool, Bash, Write],
  });

  const { toolExecutions } = await coder.query("Explore the code");
  return toolExecutions.map(({ toolName, isError }) => [toolName, isError]);
}

/** §8.4: a sub-agent without a model uses the model of its parent. */
export async function inheritance(): Promise<unknown> {
  // Sub-agent without explicit model
  const helper = agent({
    // model not specified
    tools: [Read],
    system: "You help with tasks.",
  });

  let inherited = "";

  // Tool explicitly handles inheritance via context
  const helperTool: Tool = {
    name: "helper",
    description: "Helps with a task.",
    parameters: { type: "object", properties: { task: { type: "string" } }, required: ["task"] },
    run: async (params: { task: string }, context) => {
      // context injected by UAP ExecutionStrategy
      const effectiveAgent = helper.model
        ? helper
        : agent({ ...helper, model: context.parentModel, config: context.parentConfig });
      inherited = effectiveAgent.model?.modelId ?? "";
      return (await effectiveAgent.query(params.task)).response.text;
    },
  };

  const parent = agent({ model: anthropic("claude-sonnet-5-5"), tools: [helperTool] });
  const { toolExecutions } = await parent.query("Help with the task");
  return [inherited, toolExecutions.map(({ isError }) => isError)];
}

/** §8.5: tools declare the order of their calls. */
export async function dependencies(): Promise<unknown> {
  const order: string[] = [];

  const readTool: Tool = {
    name: "read_file",
    description: "Read a file",
    parameters: { type: "object" },
    sequential: true, // Other tools wait for this
    run: async () => {
      order.push("read");
    },
  };

  const writeTool: Tool = {
    name: "write_file",
    description: "Write a file",
    parameters: { type: "object" },
    dependsOn: ["read_file"], // Only runs after read_file completes
    run: async () => {
      order.push("write");
    },
  };

  const coder = agent({ model: anthropic("claude-sonnet-5-5"), tools: [writeTool, readTool] });
  await coder.query("Use all tools");
  return order;
}

/** §8.6: with `modelOrder`, every tool has a parameter in which the model names the calls that have to run first. */
export async function modelDrivenOrder(): Promise<unknown> {
  const order: string[] = [];
  const step = (name: string): Tool => ({
    name,
    description: `Does ${name}.`,
    parameters: { type: "object" },
    run: async () => void order.push(name),
  });

  const coder = agent({
    model: anthropic("claude-sonnet-5-5"),
    tools: [step("write_file"), step("process"), step("read_file")],
    modelOrder: true,
  });
  const turn = await coder.query("Use all tools in reverse order");

  // Execution respects declared order
  const [, answer] = turn.messages;
  const calls = answer?.type === "assistant" ? (answer.toolCalls ?? []) : [];
  return [order, calls.map(({ after = [] }) => after.length)];
}

/** §8.7: a tool emits the events of its sub-agent itself. */
export async function eventPropagation(): Promise<unknown> {
  const explorer = agent({ model: anthropic("claude-haiku-5-5"), tools: [Grep] });

  const explorerTool: Tool = {
    name: "explore",
    description: "Explores the codebase.",
    parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
    run: async (params: { query: string }, context) => {
      const subagentId = generateId();

      // Emit start event
      context.onSubagentEvent?.({
        type: "subagent_start",
        subagentId,
        subagentType: "explorer",
        parentToolCallId: context.toolCallId,
        prompt: params.query,
        timestamp: Date.now(),
      });

      // Stream sub-agent execution
      const stream = explorer.stream(params.query, AgentState.initial());

      for await (const event of stream) {
        // Forward inner events
        context.onSubagentEvent?.({
          type: "subagent_event",
          subagentId,
          subagentType: "explorer",
          parentToolCallId: context.toolCallId,
          innerEvent: event,
        });
      }

      const result = await stream.result;

      // Emit end event
      context.onSubagentEvent?.({
        type: "subagent_end",
        subagentId,
        subagentType: "explorer",
        parentToolCallId: context.toolCallId,
        success: true,
        result: result.turn.response.text,
        timestamp: Date.now(),
        toolExecutions: result.turn.toolExecutions,
      });

      return result.turn.response.text;
    },
  };

  return observedSubagent(explorerTool);
}

/** §8.7: `subagentTool` emits the same events. */
export async function eventHelper(): Promise<unknown> {
  const explorer = agent({ model: anthropic("claude-haiku-5-5"), tools: [Grep] });
  return observedSubagent(
    subagentTool({
      agent: explorer,
      type: "explorer",
      name: "explore",
      description: "Explores the codebase.",
      parameters: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
      prompt: ({ query }) => String(query),
    }),
  );
}

/** Returns the types of the sub-agent's events in the parent's stream, and the sub-agent's trace in the parent's state. */
async function observedSubagent(explorerTool: Tool): Promise<unknown> {
  const coder = agent({ model: anthropic("claude-sonnet-5-5"), tools: [explorerTool] });
  const stream = coder.stream("Explore the code", AgentState.initial());
  const types = new Set<string>();
  for await (const event of stream) {
    if (event.source === "uap" && event.uap.type.startsWith("subagent")) types.add(event.uap.type);
  }
  const { state } = await stream.result;
  const traces = (state.subagentTraces ?? []).map(({ subagentType, success, toolExecutions = [] }) => [
    subagentType,
    success,
    toolExecutions.map(({ toolName }) => toolName),
  ]);
  return [[...types], traces];
}
