// The strategies that select an outcome without a request to a model (REQ-200).

import { largest, smallest } from "#core/evaluation/selection.ts";

import { LoopError } from "../loop-error.ts";
import type { AgentMessage } from "../loop-messages.ts";
import type { Evaluation, EvaluationStrategy, ParallelLoopOutcome } from "./parallel-outcome.ts";

/** Selects the only branch. A call with more branches is refused. */
export class TransparentEvaluation implements EvaluationStrategy {
  readonly maxBranches = 1;

  /** Throws a LoopError for another number of outcomes than one. */
  evaluate(_prompts: readonly AgentMessage[], outcomes: readonly ParallelLoopOutcome[]): Evaluation {
    if (outcomes.length !== 1)
      throw new LoopError(`TransparentEvaluation selects the only branch, and there are ${outcomes.length}.`);
    return { decision: { Select: 0 } };
  }
}

/** Selects the branch of the first config, also if it failed. */
export class PickFirstEvaluation implements EvaluationStrategy {
  evaluate(): Evaluation {
    return { decision: { Select: 0 } };
  }
}

/** Selects the branch that used the fewest tokens. A branch that failed is selected only if all did. */
export class TokenEfficientEvaluation implements EvaluationStrategy {
  evaluate(_prompts: readonly AgentMessage[], outcomes: readonly ParallelLoopOutcome[]): Evaluation {
    return byTokens(outcomes, smallest);
  }
}

/** Selects the branch that used the most tokens. A branch that failed is selected only if all did. */
export class ElaborateEvaluation implements EvaluationStrategy {
  evaluate(_prompts: readonly AgentMessage[], outcomes: readonly ParallelLoopOutcome[]): Evaluation {
    return byTokens(outcomes, largest);
  }
}

function byTokens(outcomes: readonly ParallelLoopOutcome[], best: (tokens: readonly number[]) => number): Evaluation {
  const answered = outcomes.filter(({ error_message }) => error_message === null);
  const compared = answered.length > 0 ? answered : outcomes;
  const selected = compared[best(compared.map(({ usage }) => usage.total_tokens))];
  return { decision: { Select: selected === undefined ? 0 : outcomes.indexOf(selected) } };
}
