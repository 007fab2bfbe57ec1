// The built-in execution strategies `loop`, `react` and `plan`. Each executes a strategy of the core.

import type { JsonObject } from "#contract/json.ts";
import { plan as planStrategy } from "#core/strategy/plan.ts";
import { react as reactStrategy } from "#core/strategy/react.ts";
import { loop as loopStrategy } from "#core/strategy/turn-strategy.ts";

import { EventStream } from "../../upp/event-stream.ts";
import { partsOf } from "../../upp/llm.ts";
import { refusal } from "../../upp/upp-error.ts";
import type { JSONSchema } from "../../upp/upp-tool.ts";
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

/** The options of `plan`. */
export interface PlanOptions {
  /** The maximum number of steps of a plan, from 1. Default: no limit. */
  maxPlanSteps?: number | undefined;
  /** Whether another plan is requested if a step fails. If false, the execution fails. Default true. */
  allowReplan?: boolean | undefined;
  /** The maximum number of further plans of an execution. Default 3. */
  maxReplans?: number | undefined;
  /** How often a plan is requested until the model gives a valid one, from 1. Then the execution fails. Default 3. */
  maxPlanRequests?: number | undefined;
  /**
   * The JSON Schema of the plan: an object with a list `steps` of objects. A step is read from the fields `description`, `id` (default: its
   * number), `tool` and `dependsOn` (ids) of an object. The model also reads the object's other fields. Default: a schema with these four.
   */
  planSchema?: JSONSchema | undefined;
}

/**
 * Requests a plan, and executes its steps in the order of their dependencies. The request for the plan is the first step of the execution,
 * and each step of the plan is a further one.
 */
export function plan({
  maxPlanSteps = Infinity,
  allowReplan,
  maxReplans,
  maxPlanRequests,
  planSchema,
}: PlanOptions = {}): ExecutionStrategy {
  checkCount("plan", "maxPlanSteps", { value: maxPlanSteps, least: 1 });
  if (maxReplans !== undefined) checkCount("plan", "maxReplans", { value: maxReplans, least: 0 });
  if (maxPlanRequests !== undefined) checkCount("plan", "maxPlanRequests", { value: maxPlanRequests, least: 1 });
  if (planSchema !== undefined) checkPlanSchema(planSchema);
  const schema = planSchema as JsonObject | undefined;
  return builtInStrategy("plan", ({ llm }) => {
    // An object that llm() did not create receives the schema of the plan in words.
    if (partsOf(llm) !== undefined && !llm.capabilities.structuredOutput) {
      throw refusal(
        `The model "${llm.model.modelId}" cannot give structured answers, which plan() needs. Use react(), or another model.`,
      );
    }
    return { strategy: planStrategy({ maxPlanSteps, allowReplan, maxReplans, maxPlanRequests, schema }) };
  });
}

function checkPlanSchema({ type, properties }: JSONSchema): void {
  const { steps } = (properties ?? {}) as { steps?: { type?: unknown } };
  if ((type as unknown) === "object" && steps?.type === "array") return;
  throw refusal(
    'planSchema of plan() has to be a JSON Schema of an object with a list: { steps: { type: "array", items: … } }.',
  );
}
