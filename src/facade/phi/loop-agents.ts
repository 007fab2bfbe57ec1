// The entry `threadhold/loop/agents`: several loops for one conversation, and agents as tools of agents.

export { agentLoopParallel } from "./parallel/agent-loop-parallel.ts";
export { cloneContext, continueSelected } from "./parallel/branch-context.ts";
export {
  ElaborateEvaluation,
  PickFirstEvaluation,
  TokenEfficientEvaluation,
  TransparentEvaluation,
} from "./parallel/evaluations.ts";
export { exploreBranches } from "./parallel/explore-branches.ts";
export type { BranchRun, BranchSpec } from "./parallel/explore-branches.ts";
export { LlmJudgeEvaluation } from "./parallel/llm-judge.ts";
export type { LlmJudgeOptions } from "./parallel/llm-judge.ts";
export type {
  Evaluation,
  EvaluationDecision,
  EvaluationStrategy,
  ParallelLoopOutcome,
  ParallelLoopResult,
} from "./parallel/parallel-outcome.ts";
export { extractFinalText, SubAgentTool } from "./sub-agent/sub-agent-tool.ts";
