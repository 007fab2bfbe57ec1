// `subagentTool`: creates a tool that executes an agent, links the execution to the call, and emits the sub-agent's events. The program
// defines the schema of the tool.

import { errorMessage } from "#core/cut-text.ts";
import { systemClock } from "#lib/system-clock.ts";

import type { SubagentEvent, ToolContext } from "../upp/tool-context.ts";
import type { Tool, ToolParams } from "../upp/upp-tool.ts";
import type { Agent, AgentInput } from "./agent-contract.ts";
import { AgentState } from "./agent-state.ts";
import { StreamedExecutions } from "./streamed-executions.ts";
import { contextFor } from "./subagent-context.ts";
import type { AgentStreamEvent } from "./uap-event.ts";

/** Options of `subagentTool`. */
export interface SubagentToolOptions extends Omit<Tool, "run"> {
  /** If it has no model, it uses the model of the agent that calls the tool. */
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
      const input = await prompt(params);
      const subagentType = type ?? agent.name ?? tool.name;
      const reported = new ReportedExecution(subagentType, context);
      reported.start(typeof input === "string" ? input : input.text);
      try {
        const parentContext = contextFor(subagentType, context);
        const stream = agent.stream(input, AgentState.initial(), { parentContext });
        // Backpressure: if the reader of the parent's stream is slow, the sub-agent waits.
        for await (const innerEvent of stream) await reported.emitInner(innerEvent);
        const { turn } = await stream.result;
        const { toolExecutions, usage } = turn;
        reported.end({ success: true, result: turn.response.text, toolExecutions, usage });
        return turn.response.text;
      } catch (error) {
        reported.fail(errorMessage(error));
        throw error;
      }
    },
  };
}

type EndData = Omit<Extract<SubagentEvent, { type: "subagent_end" }>, "type" | "timestamp" | keyof Fields>;
interface Fields {
  subagentId: string;
  subagentType: string;
  parentToolCallId: string;
}

/** Emits the events of one execution of a sub-agent. The end is emitted once, also if the call is aborted. */
class ReportedExecution {
  readonly #fields: Fields;
  readonly #context: ToolContext;
  readonly #executions = new StreamedExecutions();
  readonly #onAbort: () => void;
  #hasEnded = false;

  constructor(subagentType: string, context: ToolContext) {
    this.#context = context;
    this.#fields = { subagentId: crypto.randomUUID(), subagentType, parentToolCallId: context.toolCallId };
    // An aborted execution does not wait for its sub-agents. So `subagent_end` is emitted at once, before the parent's stream ends.
    this.#onAbort = () => this.fail("The sub-agent was aborted.");
  }

  start(prompt: string): void {
    this.#emit({ type: "subagent_start", ...this.#fields, prompt, timestamp: nowMs() });
    this.#context.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Returns a promise if the reader of the parent's stream is slow. */
  emitInner(innerEvent: AgentStreamEvent): unknown {
    if (this.#hasEnded) return undefined;
    this.#executions.add(innerEvent);
    return this.#emit({ type: "subagent_event", ...this.#fields, innerEvent });
  }

  end(data: EndData): void {
    this.#context.signal.removeEventListener("abort", this.#onAbort);
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#emit({ type: "subagent_end", ...this.#fields, ...data, timestamp: nowMs() });
  }

  fail(error: string): void {
    this.end({ success: false, error, toolExecutions: this.#executions.ended });
  }

  #emit(event: SubagentEvent): unknown {
    return this.#context.onSubagentEvent?.(event);
  }
}

function nowMs(): number {
  return Math.round(systemClock.now() / 1000);
}
