// `subagentTool`: creates a tool that executes an agent, links the execution to the call, and emits the sub-agent's events. The program
// defines the schema of the tool.

import { errorMessage } from "#lib/cut-text.ts";
import { fieldsOf } from "#lib/json-value.ts";

import { refusal } from "../upp/upp-error.ts";
import type { Tool, ToolParams } from "../upp/upp-tool.ts";
import type { Agent, AgentInput } from "./agent-contract.ts";
import { AgentState } from "./agent-state.ts";
import { ReportedExecution } from "./reported-execution.ts";
import { contextFor } from "./subagent-context.ts";

/** Options of `subagentTool`. */
export interface SubagentToolOptions extends Omit<Tool, "run"> {
  /** The sub-agent. If it has no model, it uses the model of the agent that calls the tool. */
  agent: Agent;
  /** The kind of the sub-agent in events and traces. Default: the name of the agent, or else that of the tool. */
  type?: string;
  /** Returns the input of the sub-agent for the arguments of a call. */
  prompt(this: void, params: ToolParams): AgentInput | Promise<AgentInput>;
}

/**
 * Creates the tool. A call executes the agent with an empty state, and its result is the text of the answer. An abort of the call aborts the
 * sub-agent. The events `subagent_start`, `subagent_event` and `subagent_end` are emitted in the stream of the agent that calls the tool,
 * and a trace is added to its state.
 */
export function subagentTool({ agent, type, prompt, ...tool }: SubagentToolOptions): Tool {
  return {
    ...tool,
    async run(params, context) {
      const input = checkedInput(await prompt(params), tool.name);
      const subagentType = type ?? agent.name ?? tool.name;
      const reported = new ReportedExecution(subagentType, context);
      reported.start(typeof input === "string" ? input : input.text);
      try {
        const parentContext = contextFor(subagentType, context);
        const stream = agent.stream(input, AgentState.initial(), { parentContext });
        // Backpressure: if the reader of the parent's stream is slow, the sub-agent waits.
        for await (const innerEvent of stream) await reported.emitInner(innerEvent);
        const { turn } = await stream.result;
        reported.succeed(turn);
        return turn.response.text;
      } catch (error) {
        reported.fail(errorMessage(error));
        throw error;
      }
    },
  };
}

/** Checks the input that `prompt` returned. In a JavaScript program, a forgotten `return` gives undefined. */
function checkedInput(input: AgentInput, name: string): AgentInput {
  if (typeof input === "string" || typeof fieldsOf(input)["text"] === "string") return input;
  throw refusal(`prompt of the tool "${name}" returned no input. Return a text or a message.`);
}
