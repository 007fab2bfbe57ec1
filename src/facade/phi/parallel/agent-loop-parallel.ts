// Runs one conversation with several configs at the same time, and selects one of the results (architecture §1, AgentLoop; REQ-203, 205).
// Invariants: `ParallelLoopStart` is followed by exactly one `ParallelLoopEnd`; a branch or a strategy that fails never rejects the call; a
// strategy that ignores a cancellation does not hold it.

/* oxlint-disable eslint/max-params -- the function has the parameters of the document */

import { errorMessage } from "#lib/cut-text.ts";
import { isObject } from "#lib/json-value.ts";
import { systemClock } from "#lib/system-clock.ts";

import { checkContext, checkContinued } from "../agent-context.ts";
import type { AgentContext } from "../agent-context.ts";
import { agentLoop, agentLoopContinue } from "../agent-loop.ts";
import { CancellationToken, signalOf } from "../cancellation-token.ts";
import { collectLoop } from "../collected-loop.ts";
import { shown } from "../context/context-config.ts";
import type { EventSender } from "../event-channel.ts";
import { GuardedSender } from "../guarded-sender.ts";
import { checkConfig } from "../loop-config.ts";
import type { AgentLoopConfig } from "../loop-config.ts";
import { LoopError } from "../loop-error.ts";
import { combineUsage, zeroTokens } from "../loop-messages.ts";
import type { AgentMessage, Usage } from "../loop-messages.ts";
import { isAbortOf, waitFor } from "../program-functions.ts";
import { branchContexts, segmentOf } from "./branch-context.ts";
import type { BranchContext } from "./branch-context.ts";
import { firstAnswered } from "./parallel-outcome.ts";
import type { EvaluationStrategy, ParallelLoopOutcome, ParallelLoopResult } from "./parallel-outcome.ts";

/**
 * Runs a loop for each config over copies of `base_context`, and selects one result. With prompts each branch is an `agentLoop`; without
 * prompts it is an `agentLoopContinue`, so that the last message of the context has to be a user's or a tool's. The events of all branches
 * are sent to `tx`. A branch that fails is an outcome with its error. If the strategy throws or selects no outcome, the first branch that did
 * not fail is selected. Rejects with a LoopError for a wrong argument, before any branch starts. `base_context` is not changed.
 */
export async function agentLoopParallel(
  prompts: readonly AgentMessage[],
  base_context: AgentContext,
  configs: readonly AgentLoopConfig[],
  strategy: EvaluationStrategy,
  tx: EventSender,
  cancel?: CancellationToken | AbortSignal,
): Promise<ParallelLoopResult> {
  checkArguments({ prompts, base_context, configs, strategy, tx });
  const sender = new GuardedSender(tx);
  const token = new CancellationToken(signalOf(cancel));
  sender.broken.addEventListener("abort", () => token.cancel());
  const isContinued = prompts.length === 0;
  const contexts = branchContexts(base_context, configs, isContinued);
  if (isContinued) for (const context of contexts) checkContinued(context);
  const [{ session_id } = { session_id: "" }] = contexts;
  const loop_ids = contexts.map(({ loop_id }) => loop_id);
  sender.send({ type: "ParallelLoopStart", session_id, loop_ids, timestamp: now() });
  try {
    const outcomes = await Promise.all(
      configs.map((config, at) => runBranch(contexts[at] as BranchContext, { at, config, prompts, tx: sender, token })),
    );
    const { index, usage, error } = await select(strategy, { prompts, outcomes, tx: sender, token });
    const selected = outcomes[index] as ParallelLoopOutcome;
    sender.send({
      type: "ParallelLoopEnd",
      session_id,
      selected_loop_id: selected.loop_id,
      selected_config_index: index,
      evaluation_usage: usage,
      timestamp: now(),
    });
    sender.end();
    return {
      selected_context: selected.context,
      selected_messages: selected.new_messages,
      selected_index: index,
      all_outcomes: outcomes,
      total_usage: outcomes.reduce((sum, outcome) => combineUsage(sum, outcome.usage), usage),
      evaluation_error: error,
    };
  } finally {
    // Removes the listener from the caller's signal, which may live longer than this call.
    token.cancel();
  }
}

interface Arguments {
  prompts: readonly AgentMessage[];
  base_context: AgentContext;
  configs: readonly AgentLoopConfig[];
  strategy: EvaluationStrategy;
  tx: EventSender;
}

function checkArguments({ prompts, base_context, configs, strategy, tx }: Arguments): void {
  if (!Array.isArray(prompts))
    throw new LoopError("`prompts` has to be a list of messages. An empty list continues the conversation.");
  if (!Array.isArray(configs) || configs.length === 0)
    throw new LoopError("`configs` has to be a list with at least one config. Each config is a branch.");
  for (const [at, config] of configs.entries()) checkBranchConfig(config as AgentLoopConfig, at);
  checkContext(base_context);
  if (typeof (strategy as EvaluationStrategy | undefined)?.evaluate !== "function")
    throw new LoopError("`strategy` has to have the function `evaluate`, as PickFirstEvaluation has.");
  const { maxBranches = Infinity } = strategy;
  if (configs.length > maxBranches)
    throw new LoopError(
      `The strategy selects from at most ${maxBranches} branches, and there are ${configs.length} configs. Use another strategy.`,
    );
  if (typeof (tx as EventSender | undefined)?.send !== "function")
    throw new LoopError("`tx` has to have the function `send`. `channel()` makes a sender and its receiver.");
}

function checkBranchConfig(config: AgentLoopConfig, at: number): void {
  try {
    checkConfig(config);
    segmentOf(config);
  } catch (error) {
    throw new LoopError(`configs[${at}]: ${errorMessage(error)}`);
  }
  if (config.contextConfig?.compaction?.applyToContext === true)
    throw new LoopError(
      `configs[${at}].contextConfig.compaction.applyToContext is true. It has to be false: the context of each branch begins with the ` +
        "messages of the base context.",
    );
}

interface Branch {
  at: number;
  config: AgentLoopConfig;
  prompts: readonly AgentMessage[];
  tx: EventSender;
  token: CancellationToken;
}

async function runBranch(
  context: BranchContext,
  { at, config, prompts, tx, token }: Branch,
): Promise<ParallelLoopOutcome> {
  const original_context_len = context.messages.length;
  const { messages, usage, error_message } = await collectLoop(tx, (sender) =>
    prompts.length === 0
      ? agentLoopContinue(context, config, sender, token)
      : agentLoop(structuredClone([...prompts]), context, config, sender, token),
  );
  const { loop_id } = context;
  return { config_index: at, loop_id, context, new_messages: messages, usage, original_context_len, error_message };
}

/** The time of a strategy after a cancellation, in milliseconds: enough for the last events of a judge that observes the cancellation. */
const cancelledEvaluationMs = 1000;

interface Selection {
  index: number;
  usage: Usage;
  error: string | null;
}

/** The decision of the strategy, or a substitute with the reason. */
async function select(
  strategy: EvaluationStrategy,
  {
    prompts,
    outcomes,
    tx,
    token,
  }: Pick<Branch, "prompts" | "tx" | "token"> & { outcomes: readonly ParallelLoopOutcome[] },
): Promise<Selection> {
  const substitute = (error: string, usage = zeroTokens()): Selection => ({
    index: firstAnswered(outcomes),
    usage,
    error,
  });
  if (token.isCancelled()) return substitute("Cancelled.");
  const overdue = new AbortController();
  let disarm = (): void => {};
  const limit = (): void => {
    disarm = systemClock.after(cancelledEvaluationMs, () => overdue.abort());
  };
  token.signal.addEventListener("abort", limit);
  let returned: unknown;
  try {
    returned = await waitFor(strategy.evaluate(prompts, [...outcomes], tx, token), overdue.signal);
  } catch (error) {
    return substitute(isAbortOf(error, overdue.signal) ? "Cancelled." : errorMessage(error));
  } finally {
    token.signal.removeEventListener("abort", limit);
    disarm();
  }
  const {
    decision,
    usage = zeroTokens(),
    error = null,
  } = (isObject(returned) ? returned : {}) as Record<string, unknown>;
  if (!isUsage(usage)) return substitute("The strategy returned `usage` that has no five counts of tokens.");
  const index = isObject(decision) ? decision["Select"] : undefined;
  if (!Number.isSafeInteger(index) || (index as number) < 0 || (index as number) >= outcomes.length)
    return substitute(
      `The strategy selected ${shown(index)}. It has to return { decision: { Select: index } } with an index from 0 to ${outcomes.length - 1}.`,
      usage,
    );
  return { index: index as number, usage, error: error === null || typeof error === "string" ? error : shown(error) };
}

function isUsage(value: unknown): value is Usage {
  return isObject(value) && Object.keys(zeroTokens()).every((name) => Number.isFinite(value[name]));
}

function now(): string {
  return new Date().toISOString();
}
