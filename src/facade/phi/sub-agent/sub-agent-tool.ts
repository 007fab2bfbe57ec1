// A tool that runs a loop: a sub-agent (REQ-148 to 151, 163, 195). Each call is a conversation of its own, with its own ids, tools and limits.
// Invariant: a loop that ran is a result, never an error of the tool; the model of the parent reads how it ended.

import type { Json, JsonObject } from "#contract/json.ts";
import { isVisible } from "#lib/visible-text.ts";

import type { AgentContext } from "../agent-context.ts";
import { agentLoop } from "../agent-loop.ts";
import { collectLoop, errorOf, lastAnswer, lastAnswerText } from "../collected-loop.ts";
import { ExecutionTracker } from "../context/execution-tracker.ts";
import type { ExecutionLimits } from "../context/execution-tracker.ts";
import { checkConfig, checkTools } from "../loop-config.ts";
import type { AgentLoopConfig, ToolExecutionStrategy } from "../loop-config.ts";
import { LoopError } from "../loop-error.ts";
import type { AgentEvent } from "../loop-event.ts";
import { newId } from "../loop-identity.ts";
import { textOfContent, userMessage } from "../loop-messages.ts";
import type { AgentMessage } from "../loop-messages.ts";
import { textResult, ToolError } from "../loop-tool.ts";
import type { AgentTool, ToolContext, ToolResult } from "../loop-tool.ts";
import { isPromise } from "../program-functions.ts";
import type { ModelConfig } from "../provider/model-config.ts";
import type { CacheConfig, RetryConfig, StreamProvider, ThinkingLevel } from "../provider/stream-provider.ts";

/** The limits of a sub-agent, unless it has others. */
const defaultLimits: ExecutionLimits = { max_turns: 10, max_total_tokens: 1_000_000, max_duration: { secs: 300 } };

/** The result of a sub-agent that wrote nothing (REQ-149). */
const noText = "(sub-agent produced no text output)";

interface SubAgentParts {
  description: string;
  systemPrompt: string;
  tools: readonly AgentTool[];
  config: AgentLoopConfig;
  limits: ExecutionLimits;
  parentLoopId: string | null;
  listeners: readonly ((event: AgentEvent) => void)[];
}

/**
 * A tool whose calls are loops of their own. The model passes `{ task }`, and reads the final text of the loop. The loop has no queues, no
 * filters and no messages of the parent. A cancelled parent cancels it. Builders change the tool and return it.
 */
export class SubAgentTool implements AgentTool {
  readonly #name: string;
  #parts: SubAgentParts;

  /** `name`: the name by which models call it. */
  constructor(name: string, modelConfig: ModelConfig) {
    if (typeof name !== "string" || name === "") throw new LoopError("The name of a sub-agent has to be a text.");
    const config: AgentLoopConfig = { modelConfig, firstTurnTrigger: "SubAgent" };
    checkConfig(config);
    this.#name = name;
    this.#parts = {
      description: `Gives a task to the agent "${name}" and returns its answer.`,
      systemPrompt: "",
      tools: [],
      config,
      limits: defaultLimits,
      parentLoopId: null,
      listeners: [],
    };
  }

  /** What the model of the parent reads about the sub-agent. */
  withDescription(description: string): this {
    return this.#with({ description });
  }

  withSystemPrompt(systemPrompt: string): this {
    return this.#with({ systemPrompt });
  }

  /** Replaces the tools. A sub-agent may have sub-agents. */
  withTools(tools: readonly AgentTool[]): this {
    checkTools(tools);
    return this.#with({ tools: [...tools] });
  }

  /** Default: 10. */
  withMaxTurns(max_turns: number): this {
    return this.withExecutionLimits({ max_turns });
  }

  /** Replaces the limits that are named. Default: 10 turns, 1,000,000 tokens, 300 seconds. */
  withExecutionLimits(limits: ExecutionLimits): this {
    const changed = { ...this.#parts.limits, ...limits };
    // Checks them.
    void new ExecutionTracker(changed).limits;
    return this.#with({ limits: changed });
  }

  withThinking(thinkingLevel: ThinkingLevel): this {
    return this.#configure({ thinkingLevel });
  }

  withMaxTokens(maxTokens: number): this {
    return this.#configure({ maxTokens });
  }

  withCacheConfig(cacheConfig: CacheConfig): this {
    return this.#configure({ cacheConfig });
  }

  withToolExecution(toolExecution: ToolExecutionStrategy): this {
    return this.#configure({ toolExecution });
  }

  withRetryConfig(retryConfig: RetryConfig): this {
    return this.#configure({ retryConfig });
  }

  /** Requests answers from this provider in place of the one that the model's protocol names. */
  withProviderOverride(providerOverride: StreamProvider): this {
    return this.#configure({ providerOverride });
  }

  /** The parent of the sub-agent's loops. Default: the loop that calls the tool. */
  withParentLoopId(parentLoopId: string): this {
    return this.#with({ parentLoopId });
  }

  /** Adds a function that receives all events of the sub-agent's loops, and of the loops of its own sub-agents. */
  onEvent(listener: (event: AgentEvent) => void): this {
    return this.#with({ listeners: [...this.#parts.listeners, listener] });
  }

  name(): string {
    return this.#name;
  }

  label(): string {
    return this.#name;
  }

  description(): string {
    return this.#parts.description;
  }

  parametersSchema(): JsonObject {
    return {
      type: "object",
      properties: { task: { type: "string", description: "The task, with everything that the agent has to know." } },
      required: ["task"],
    };
  }

  async execute(params: JsonObject, ctx: ToolContext): Promise<ToolResult> {
    const { task } = params;
    if (typeof task !== "string" || !isVisible(task))
      throw ToolError.invalidArgs("`task` is missing. It has to be a text that states the task.");
    const { systemPrompt, config, limits, parentLoopId, listeners } = this.#parts;
    const session_id = newId();
    const context: AgentContext & { loop_id: string } = {
      system_prompt: systemPrompt,
      messages: [],
      tools: this.#tools(),
      agent_id: newId(),
      session_id,
      loop_id: `${session_id}.sub.1`,
      parent_loop_id: parentLoopId ?? ctx.loop_id,
    };
    const tx = {
      send: (event: AgentEvent): unknown => {
        const returned: unknown[] = listeners.map((listener) => listener(event));
        this.#forward(event, ctx);
        // A rejection of a listener ends the loop as an error that it throws.
        return returned.some(isPromise) ? Promise.all(returned) : undefined;
      },
    };
    const { messages, error_message } = await collectLoop(tx, (sender) =>
      agentLoop([userMessage(task)], context, { ...config, executionLimits: limits }, sender, ctx.cancel),
    );
    const turns = messages.filter(({ role }) => role === "assistant").length;
    return {
      ...textResult(resultText(messages, error_message), this.#details({ turns })),
      child_loop_id: context.loop_id,
    };
  }

  /** Shows the text and the progress of the sub-agent in the events of its parent (REQ-150), and names its loop. */
  #forward(event: AgentEvent, { on_update, on_progress, on_child_loop }: ToolContext): void {
    if (event.type === "AgentStart") on_child_loop?.(event.loop_id);
    if (event.type === "ProgressMessage") on_progress(event.text);
    if (event.type === "MessageUpdate" && "Text" in event.delta)
      on_update(textResult(event.delta.Text.delta, this.#details()));
  }

  #details(more: { turns?: number } = {}): Json {
    return { sub_agent: this.#name, ...more };
  }

  /** The tools of a loop. The listeners also receive the events of sub-agents among them. */
  #tools(): readonly AgentTool[] {
    const { tools, listeners } = this.#parts;
    return tools.map((tool) => (tool instanceof SubAgentTool ? tool.#observedBy(listeners) : tool));
  }

  /** A copy with more listeners. The tool itself stays as it is, because several agents may have it. */
  #observedBy(listeners: SubAgentParts["listeners"]): SubAgentTool {
    const { config, listeners: own } = this.#parts;
    const copy = new SubAgentTool(this.#name, config.modelConfig);
    return copy.#with({ ...this.#parts, listeners: [...new Set([...own, ...listeners])] });
  }

  #configure(option: Partial<AgentLoopConfig>): this {
    const config = { ...this.#parts.config, ...option };
    checkConfig(config);
    return this.#with({ config });
  }

  #with(parts: Partial<SubAgentParts>): this {
    this.#parts = { ...this.#parts, ...parts };
    return this;
  }
}

/**
 * The text of the last answer that has one (REQ-149), or a fixed text. If the loop ended with an error, its message is added, so that the
 * model of the parent can react to it (REQ-163).
 */
export function extractFinalText(messages: readonly AgentMessage[]): string {
  const last = lastAnswer(messages);
  return finalText(messages, last === null ? null : errorOf(last));
}

function finalText(messages: readonly AgentMessage[], error: string | null): string {
  const text = lastAnswerText(messages);
  if (error === null) return text || noText;
  return text === "" ? `${noText}: ${error}` : `${text}\n\n(sub-agent failed: ${error})`;
}

/** The final text, and the reason of a limit that ended the loop: its last message then is one of the loop itself. */
function resultText(messages: readonly AgentMessage[], error: string | null): string {
  const last = messages.at(-1);
  const isStopped = error === null && last?.role === "user";
  return isStopped ? `${finalText(messages, null)}\n\n${textOfContent(last.content)}` : finalText(messages, error);
}
