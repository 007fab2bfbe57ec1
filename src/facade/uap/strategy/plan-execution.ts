// The execution strategy `plan`.

import type { JsonObject } from "#contract/json.ts";
import { plan as planStrategy } from "#core/strategy/plan.ts";

import { partsOf } from "../../upp/llm.ts";
import { refusal } from "../../upp/upp-error.ts";
import type { JSONSchema } from "../../upp/upp-tool.ts";
import type { ExecutionStrategy } from "../agent-contract.ts";
import { checkCount, builtInStrategy } from "./built-in-strategy.ts";

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
