// The strategy that lets a model select an outcome (REQ-201, 202, 207 to 209). The judge reads the query, the conversation before it and the
// final text of each branch, and no calls and results of branches. Its loop has the session of the branches.

import { judgePrompt, judgeSystemPrompt } from "#core/evaluation/judge-prompt.ts";
import type { JudgeBudget, TranscriptEntry } from "#core/evaluation/judge-prompt.ts";
import { namedPosition } from "#core/evaluation/selection.ts";

import type { AgentContext } from "../agent-context.ts";
import { agentLoop } from "../agent-loop.ts";
import type { CancellationToken } from "../cancellation-token.ts";
import { collectLoop, lastAnswerText } from "../collected-loop.ts";
import { completeContextConfig, refuseUnknown } from "../context/context-config.ts";
import { estimateTokens } from "../context/token-counter.ts";
import type { EventSender } from "../event-channel.ts";
import { checkConfig } from "../loop-config.ts";
import type { AgentLoopConfig } from "../loop-config.ts";
import { LoopError } from "../loop-error.ts";
import type { AgentEvent } from "../loop-event.ts";
import { newId } from "../loop-identity.ts";
import { textOfContent, userMessage } from "../loop-messages.ts";
import type { AgentMessage } from "../loop-messages.ts";
import { numberedLoopId } from "./branch-context.ts";
import { firstAnswered } from "./parallel-outcome.ts";
import type { Evaluation, EvaluationStrategy, ParallelLoopOutcome } from "./parallel-outcome.ts";

/** The options of a judge. */
export interface LlmJudgeOptions {
  /**
   * The options of the judge's loop. If `contextConfig` is given, the conversation and the responses are shortened to 80 % of its
   * `max_context_tokens`; the loop itself compacts nothing, so that no number of a response is removed.
   */
  judgeConfig: AgentLoopConfig;
  /** Default: a text that asks for the number of the best response. */
  systemPrompt?: string;
}

/**
 * Lets a model select the best response. Branches that failed are not compared; with fewer than two others no request is sent. If the judge
 * fails or names no response, the first one is selected, and the evaluation has the reason.
 */
export class LlmJudgeEvaluation implements EvaluationStrategy {
  readonly #config: AgentLoopConfig;
  readonly #systemPrompt: string;
  readonly #budget: JudgeBudget | null;

  /** Throws a LoopError for a wrong option. */
  constructor(options: LlmJudgeOptions) {
    refuseUnknown("LlmJudgeEvaluation", options, { judgeConfig: null, systemPrompt: null });
    const { judgeConfig, systemPrompt = judgeSystemPrompt } = options;
    checkConfig(judgeConfig);
    if (typeof systemPrompt !== "string") throw new LoopError("`systemPrompt` has to be a text.");
    // The prompt is fitted here, so the loop gets neither the budget nor a strategy for it.
    const { contextConfig, compactionStrategy: _strategy, ...config } = judgeConfig;
    this.#config = config;
    this.#systemPrompt = systemPrompt;
    this.#budget = contextConfig === undefined ? null : budgetOf(contextConfig);
  }

  // oxlint-disable-next-line eslint/max-params -- the parameters of the document
  async evaluate(
    prompts: readonly AgentMessage[],
    outcomes: readonly ParallelLoopOutcome[],
    tx: EventSender,
    cancel: CancellationToken,
  ): Promise<Evaluation> {
    const first = { Select: firstAnswered(outcomes) };
    const compared = outcomes.filter(({ error_message }) => error_message === null);
    if (compared.length < 2) return { decision: first };
    const responses = compared.map(({ new_messages }) => lastAnswerText(new_messages) || "(no text)");
    const { text, fits } = judgePrompt({ ...questionOf(prompts, outcomes), responses }, this.#budget);
    const { session_id = newId() } = outcomes[0]?.context ?? {};
    const loop_id = numberedLoopId(this.#config, { sessionId: session_id, number: 1 });
    const context: AgentContext = { system_prompt: this.#systemPrompt, messages: [], tools: [], session_id, loop_id };
    const warned = fits
      ? tx
      : withWarning(tx, loop_id, { responses: compared.length, tokens: this.#budget?.tokens ?? 0 });
    const { messages, usage, error_message } = await collectLoop(warned, (sender) =>
      agentLoop([userMessage(text)], context, this.#config, sender, cancel),
    );
    if (error_message !== null) return { decision: first, usage, error: `The judge failed: ${error_message}` };
    const position = namedPosition(lastAnswerText(messages), compared.length);
    const selected = position === null ? undefined : compared[position];
    if (selected === undefined)
      return { decision: first, usage, error: "The judge's reply has no number of a response." };
    return { decision: { Select: outcomes.indexOf(selected) }, usage };
  }
}

function budgetOf(given: NonNullable<AgentLoopConfig["contextConfig"]>): JudgeBudget {
  const { max_context_tokens: tokens, token_counter } = completeContextConfig(given);
  return { tokens, tokensOf: (text) => estimateTokens(text, token_counter) };
}

/** The query, and the conversation before it. Without prompts the query is the last message of a user in the base context. */
function questionOf(
  prompts: readonly AgentMessage[],
  outcomes: readonly ParallelLoopOutcome[],
): { query: string; transcript: TranscriptEntry[] } {
  const [{ context, original_context_len }] = outcomes as [ParallelLoopOutcome];
  const base = context.messages.slice(0, original_context_len);
  if (prompts.length > 0) return { query: textOfUsers(prompts), transcript: base.flatMap(entryOf) };
  const at = base.findLastIndex(({ role }) => role === "user");
  if (at === -1) return { query: "", transcript: base.flatMap(entryOf) };
  return { query: textOfUsers(base.slice(at, at + 1)), transcript: base.slice(0, at).flatMap(entryOf) };
}

function textOfUsers(messages: readonly AgentMessage[]): string {
  return messages
    .flatMap((message) => (message.role === "user" ? [textOfContent(message.content)] : []))
    .filter((text) => text !== "")
    .join("\n");
}

function entryOf(message: AgentMessage): TranscriptEntry[] {
  switch (message.role) {
    case "extension":
      return [];
    case "user":
      return [{ label: "User", text: textOfContent(message.content) }];
    case "assistant":
      return [{ label: "Assistant", text: textOfContent(message.content) }];
    case "toolResult":
      return [{ label: `Tool [${message.tool_name}]`, text: textOfContent(message.content) }];
  }
}

/** Sends a warning after the start of the judge's loop, because an event belongs to a loop that has begun. */
function withWarning(
  tx: EventSender,
  loop_id: string,
  { responses, tokens }: { responses: number; tokens: number },
): EventSender {
  const text =
    `The conversation and ${responses} responses exceed the budget of the judge (${tokens} tokens), also after they were shortened. ` +
    "The judge may compare incomplete texts. Raise `max_context_tokens` of its config, or use fewer branches.";
  return {
    send(event: AgentEvent) {
      tx.send(event);
      if (event.type === "AgentStart")
        tx.send({
          type: "ProgressMessage",
          loop_id,
          tool_call_id: "judge-compaction",
          tool_name: "LlmJudgeEvaluation",
          text,
        });
    },
  };
}
