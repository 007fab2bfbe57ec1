// The built-in execution strategies `loop` and `react`, and what `plan` shares with them. Each executes a strategy of the core.

import { react as reactStrategy } from "#core/strategy/react.ts";
import { loop as loopStrategy } from "#core/strategy/turn-strategy.ts";

import { EventStream } from "../../upp/event-stream.ts";
import { refusal } from "../../upp/upp-error.ts";
import type { ExecutionContext, ExecutionStrategy, GenerateResult } from "../agent-contract.ts";
import { executeCoreStrategy } from "../core-strategy.ts";
import type { CoreStrategyOptions } from "../core-strategy.ts";
import { observedContext } from "../execution.ts";
import { streamResult } from "../stream-result.ts";
import type { AgentStreamEvent } from "../uap-event.ts";

/** Creates an execution strategy. `optionsOf` is called for each execution. */
export function builtInStrategy(
  name: string,
  optionsOf: (context: ExecutionContext) => CoreStrategyOptions,
): ExecutionStrategy {
  const execute = async (context: ExecutionContext) => executeCoreStrategy(context, optionsOf(context));
  return {
    name,
    execute,
    stream: (context) =>
      streamResult(
        new EventStream<GenerateResult, AgentStreamEvent>(
          (sink) => execute(observedContext(context, sink)),
          context.signal,
        ),
      ),
  };
}

/** Throws unless an option is Infinity or a whole number of at least `least`. */
export function checkCount(strategy: string, name: string, { value, least }: { value: number; least: number }): void {
  if (value === Infinity || (Number.isInteger(value) && value >= least)) return;
  throw refusal(
    `${name} of ${strategy}() has to be a whole number of at least ${least}, or Infinity; it is ${String(value)}.`,
  );
}

/** The options of `loop`. */
export interface LoopOptions {
  /**
   * The maximum number of rounds of calls. The execution ends after the last round, without a further request. With 0, the calls of the
   * first answer are not executed. Default: no limit.
   */
  maxIterations?: number | undefined;
}

/** Requests the model again while its answers call tools. Each request is a step. */
export function loop({ maxIterations = Infinity }: LoopOptions = {}): ExecutionStrategy {
  checkCount("loop", "maxIterations", { value: maxIterations, least: 0 });
  const leavesCallsUnexecuted = maxIterations === 0;
  const options = maxIterations === Infinity || leavesCallsUnexecuted ? {} : { maxIterations };
  return builtInStrategy("loop", () => ({ strategy: loopStrategy(options), leavesCallsUnexecuted }));
}

/** The options of `react`. */
export interface ReactOptions {
  /** The maximum number of cycles of reasoning and action, from 1. Default: no limit. */
  maxSteps?: number | undefined;
  /** The instruction that requests the reasoning. */
  reasoningPrompt?: string | undefined;
}

/** Requests reasoning, then an action, until an action calls no tool. Reasoning and the action after it are one step. */
export function react({ maxSteps = Infinity, reasoningPrompt }: ReactOptions = {}): ExecutionStrategy {
  checkCount("react", "maxSteps", { value: maxSteps, least: 1 });
  if (reasoningPrompt !== undefined && typeof reasoningPrompt !== "string") {
    throw refusal(`reasoningPrompt of react() has to be a text; it is ${String(reasoningPrompt)}.`);
  }
  return builtInStrategy("react", () => ({ strategy: reactStrategy({ maxCycles: maxSteps, reasoningPrompt }) }));
}
