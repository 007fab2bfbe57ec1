// The strategy of a side's turns: the one that the side or its agent names, with the options of the definition.

import type { Side } from "#contract/thread-message.ts";
import type { Clock } from "#core/ports/clock.ts";
import { plan } from "#core/strategy/plan.ts";
import { react } from "#core/strategy/react.ts";
import { loop } from "#core/strategy/turn-strategy.ts";
import type { TurnStrategy } from "#core/strategy/turn-strategy.ts";
import type { AnyAgentDefinition, LoopStrategy, PlanStrategy, ReactStrategy, WorkerEnv } from "#spec/index.ts";

import type { Definitions } from "../setup/project-definitions.ts";
import { sideOf } from "./conversation-strategy.ts";
import { customStrategy } from "./custom-strategy.ts";

/** The maximum number of steps of a plan in a thread: each row of the turn contains the plan. */
const defaultPlanSteps = 50;

/** The bounds of the texts of a plan in a thread: each row of the turn contains the plan. */
const planTexts = { textBytes: 1000, idLength: 100 };

/** The dependencies of the strategies that a project defines. */
export interface StrategySources {
  definitions: Definitions;
  clock: Clock;
  env: WorkerEnv;
  /** Removes secrets from the error that a strategy throws. Default: the error stays as it is. */
  redact?: (text: string) => string;
}

/** Creates the strategy of a side. A side's own `strategy` takes precedence over its agent's. */
export async function turnStrategy(
  agent: AnyAgentDefinition,
  of: Side,
  sources: StrategySources,
): Promise<TurnStrategy> {
  const side = sideOf(agent, of);
  const { stopOnResponse } = side;
  const named = side.strategy ?? agent.strategy ?? "loop";
  const options = typeof named === "string" ? { type: named } : named;
  if (isLoop(options)) return loop({ maxIterations: options.maxIterations, stopOnResponse });
  if (isReact(options)) {
    return react({ stopOnResponse, maxCycles: options.maxSteps, reasoningPrompt: options.reasoningPrompt });
  }
  if (isPlan(options)) {
    const { maxPlanSteps = defaultPlanSteps, allowReplan } = options;
    return plan({ stopOnResponse, maxPlanSteps, textBounds: planTexts, allowReplan });
  }
  const definition = await sources.definitions.strategy(options.type);
  return definition === null ? missingStrategy(options.type) : customStrategy(definition, sources);
}

/** A strategy that a release removed: the run ends with an error. */
function missingStrategy(name: string): TurnStrategy {
  const message = `There is no strategy named "${name}".`;
  return { name, next: () => ({ next: { type: "failed", reason: "strategy_not_found", message } }) };
}

function isLoop(options: { type: string }): options is LoopStrategy {
  return options.type === "loop";
}

function isReact(options: { type: string }): options is ReactStrategy {
  return options.type === "react";
}

function isPlan(options: { type: string }): options is PlanStrategy {
  return options.type === "plan";
}
