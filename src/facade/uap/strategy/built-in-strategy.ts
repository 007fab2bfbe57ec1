// Creates the built-in execution strategies `loop`, `react` and `plan`. Each executes a strategy of the core.

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
