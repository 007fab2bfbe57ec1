// The results of loops that ran in parallel, and the interface that selects one of them (REQ-198, 199, 206).

import type { AgentContext } from "../agent-context.ts";
import type { CancellationToken } from "../cancellation-token.ts";
import type { EventSender } from "../event-channel.ts";
import type { AgentMessage, Usage } from "../loop-messages.ts";

/** The result of one branch. */
export interface ParallelLoopOutcome {
  /** The position of the branch's config in the list of configs. */
  config_index: number;
  loop_id: string;
  /** The branch's own context. Its first `original_context_len` messages are those of the base context. */
  context: AgentContext;
  /** The messages that the branch produced, its prompts included. */
  new_messages: AgentMessage[];
  usage: Usage;
  /** The number of messages of the base context. It is the same for all outcomes of a call. */
  original_context_len: number;
  /** Why the branch failed; null if it has an answer. */
  error_message: string | null;
}

/** The result of `agentLoopParallel`. */
export interface ParallelLoopResult {
  /** The context of the selected branch. `continueSelected` prepares it for `agentLoopContinue`. */
  selected_context: AgentContext;
  /** The messages that the selected branch produced, as they were before any evaluation. */
  selected_messages: AgentMessage[];
  selected_index: number;
  /** The outcomes of all branches in the order of their configs, the selected one included. */
  all_outcomes: ParallelLoopOutcome[];
  /** The tokens of all branches and of the evaluation. */
  total_usage: Usage;
  /** Why the strategy selected no branch; null if it selected one. Then the first branch that did not fail is selected. */
  evaluation_error: string | null;
}

/** The decision of a strategy: the position of the selected outcome, from 0. */
export interface EvaluationDecision {
  Select: number;
}

/** What a strategy returns. */
export interface Evaluation {
  decision: EvaluationDecision;
  /** The tokens that the evaluation used. Default: none. */
  usage?: Usage;
  /** Why the decision is only a substitute, such as a request that failed. The result of the parallel loops has this text. */
  error?: string;
}

/** Selects one of the outcomes. */
export interface EvaluationStrategy {
  /** The maximum number of branches. A call with more is refused before any of them starts. Default: no maximum. */
  readonly maxBranches?: number;
  /**
   * Selects an outcome. `prompts` is empty if the branches continued a conversation. Events sent to `tx` are those of the parallel loops. A
   * strategy that waits should observe `cancel`: its decision is ignored if it takes longer than a second after a cancellation.
   */
  evaluate(
    prompts: readonly AgentMessage[],
    outcomes: readonly ParallelLoopOutcome[],
    tx: EventSender,
    cancel: CancellationToken,
  ): Evaluation | Promise<Evaluation>;
}

/** The position of the first outcome that did not fail; 0 if all failed. */
export function firstAnswered(outcomes: readonly ParallelLoopOutcome[]): number {
  return Math.max(
    0,
    outcomes.findIndex(({ error_message }) => error_message === null),
  );
}
