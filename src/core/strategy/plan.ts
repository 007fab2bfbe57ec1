// The strategy `plan` (UAP, execution strategies): requests a plan as a structured answer, carries out its steps in the order of their
// dependencies, and requests another plan if a step fails. The plan and the statuses of its steps are the strategy's state.

import { z } from "zod";

import { planStepSchema } from "#contract/event.ts";
import type { PlanStep } from "#contract/event.ts";
import type { JsonObject } from "#contract/json.ts";

import type { StepOutcome, StepShape } from "../ports/strategy-port.ts";
import { planStructure, readPlan } from "./read-plan.ts";
import type { PlanBounds } from "./read-plan.ts";
import type { TurnDecision, TurnStrategy } from "./turn-strategy.ts";

/** The options of the strategy. */
export interface PlanOptions {
  /** Whether the turn ends when the plan is completed. Default true. If false, the model is requested again after that. */
  stopOnResponse?: boolean | undefined;
  /** The maximum number of steps of a plan. Default: no limit. */
  maxPlanSteps?: number | undefined;
  /** The bounds of each step's texts. Default: none. */
  textBounds?: Omit<PlanBounds, "steps"> | undefined;
  /** Whether to request another plan if a step fails. Default true. */
  allowReplan?: boolean | undefined;
  /** The maximum number of further plans of a turn. Default 3. */
  maxReplans?: number | undefined;
  /** How often a plan is requested until it is valid; then the turn fails. Default 3. */
  maxPlanRequests?: number | undefined;
  /** The form of the answer with a plan, in place of the strategy's own. The answer has to have a list `steps`. */
  schema?: JsonObject | undefined;
}

const stateSchema = z.object({
  phase: z.enum(["plan", "execute", "done"]),
  steps: z.array(planStepSchema),
  /** The number of further plans so far. */
  replans: z.number(),
  /** How often the current plan was requested. */
  requests: z.number(),
  /** Whether all calls of the last answer with calls failed. */
  failed: z.boolean(),
});

type State = z.infer<typeof stateSchema>;

/** The default of `maxReplans`. */
const defaultReplans = 3;

const planPrompt =
  "Make a plan for the task: a list of steps, each small enough to be carried out on its own. Do not carry out any step yet.";

/** Creates the strategy. */
export function plan({
  stopOnResponse = true,
  maxPlanSteps = Infinity,
  textBounds = { textBytes: Infinity, idLength: Infinity },
  allowReplan = true,
  maxReplans = defaultReplans,
  maxPlanRequests = 3,
  schema,
}: PlanOptions = {}): TurnStrategy {
  const structure = schema === undefined ? planStructure : { name: planStructure.name, schema };
  const bound = maxPlanSteps === Infinity ? "" : ` The plan has at most ${maxPlanSteps} steps.`;

  function requestPlan(text: string, state: State): TurnDecision {
    const instruction = { text: `${text}${bound}`, keep: true };
    const shape = { phase: "plan", silent: true, tools: [], structure, instruction };
    // A further request for the same plan belongs to the cycle of the first one.
    const continues = state.requests > 0 ? { continues: true as const } : {};
    return {
      next: { type: "step", shape },
      ...continues,
      state: { ...state, phase: "plan", requests: state.requests + 1 },
    };
  }

  function readAnswer(last: StepOutcome, state: State): TurnDecision {
    const read = readPlan(last.data, { steps: maxPlanSteps, ...textBounds });
    const isLastRequest = state.requests >= maxPlanRequests;
    if ("problem" in read) {
      if (!isLastRequest) return requestPlan(`${read.problem} Answer with the plan again.`, state);
      return failure(`The model gave no valid plan. ${read.problem}`);
    }
    const { steps, dropped } = read;
    if (dropped > 0 && state.requests < 2) {
      return requestPlan(`The plan has ${steps.length + dropped} steps. Answer with a shorter plan.`, state);
    }
    const warning = `The plan had ${dropped} steps more than maxPlanSteps; they were dropped.`;
    return { ...nextStep({ ...state, steps }), ...(dropped > 0 ? { warning } : {}) };
  }

  /** Begins the next step whose dependencies are completed, or ends the turn. */
  function nextStep(state: State): TurnDecision {
    const { steps } = state;
    const completed = new Set(steps.filter(({ status }) => status === "completed").map(({ id }) => id));
    const next = steps.find(
      ({ status, dependsOn }) => status === "pending" && dependsOn.every((id) => completed.has(id)),
    );
    if (next !== undefined) {
      const begun = withStatus(steps, next.id, "in_progress");
      const isLast = completed.size === steps.length - 1;
      const instruction = { text: stepPrompt(next, isLast), keep: true };
      const after: State = { ...state, phase: "execute", steps: begun, failed: false, requests: 0 };
      return { next: { type: "step", shape: { ...executeShape(begun), instruction } }, state: after, plan: begun };
    }
    const failed = steps.filter(({ status }) => status !== "completed");
    if (failed.length > 0) {
      const ids = failed.map(({ id }) => `"${id}"`).join(", ");
      return {
        ...failure(`The plan could not be completed. Steps that failed or were not carried out: ${ids}.`),
        plan: steps,
      };
    }
    if (stopOnResponse) return { next: { type: "end", reason: "response" }, plan: steps };
    return { next: { type: "step" }, state: { ...state, phase: "done" }, plan: steps };
  }

  function afterStep(last: StepOutcome, state: State): TurnDecision {
    if (last.calls.length > 0) {
      const failed = last.calls.every(({ result }) => result.status === "error");
      return { ...continued(state.steps), state: { ...state, failed } };
    }
    if (last.blank) return { ...continued(state.steps), state };
    const current = state.steps.find(({ status }) => status === "in_progress");
    const steps = withStatus(state.steps, current?.id, state.failed ? "failed" : "completed");
    if (!state.failed || !allowReplan || state.replans >= maxReplans) return nextStep({ ...state, steps });
    const completed = steps.filter(({ status }) => status === "completed").map(({ id }) => `"${id}"`);
    const done = completed.length === 0 ? "No step is completed." : `Completed steps: ${completed.join(", ")}.`;
    const text = `The step "${current?.id ?? ""}" of the plan failed. ${done} Make a new plan for what remains to be done.`;
    return { ...requestPlan(text, { ...state, steps, replans: state.replans + 1, requests: 0 }), plan: steps };
  }

  return {
    name: "plan",
    next(last: StepOutcome | null, stored: JsonObject | null): TurnDecision {
      const state = stateSchema.safeParse(stored).data;
      if (last === null || state === undefined) {
        return requestPlan(planPrompt, { phase: "plan", steps: [], replans: 0, requests: 0, failed: false });
      }
      if (state.phase === "plan") return readAnswer(last, state);
      return state.phase === "execute" ? afterStep(last, state) : { next: { type: "step" }, state };
    },
  };
}

function failure(message: string): TurnDecision {
  return { next: { type: "failed", reason: "plan_failed", message } };
}

/**
 * The settings of a model request that carries out a step of the plan. Only the answer of the last step has the structure of the turn's
 * answer.
 */
function executeShape(steps: readonly PlanStep[]): StepShape {
  const isLast = steps.filter(({ status }) => status !== "completed").length === 1;
  return { phase: "execute", ...(isLast ? {} : { structure: null }) };
}

/** A further request for the current step of the plan. */
function continued(steps: readonly PlanStep[]): TurnDecision {
  return { next: { type: "step", shape: executeShape(steps) }, continues: true };
}

function withStatus(steps: readonly PlanStep[], id: string | undefined, status: PlanStep["status"]): PlanStep[] {
  return steps.map((step) => (step.id === id ? { ...step, status } : step));
}

/** The instruction to carry out a step. The answer of the last step is the answer of the turn. */
function stepPrompt({ id, description, tool }: PlanStep, isLast: boolean): string {
  const use = tool === undefined ? "" : ` Use the tool ${tool}.`;
  const end = isLast
    ? "This is the last step of the plan: when it is done, give the user the complete answer."
    : "When it is done, state its result in a short text. Do not carry out another step.";
  return `Carry out the step "${id}" of the plan: ${description}${use} ${end}`;
}
