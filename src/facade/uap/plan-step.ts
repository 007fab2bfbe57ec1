// The steps of a plan, which the strategy `plan()` requests and executes.

import { z } from "zod";

/** The status of a step of a plan. */
export type PlanStepStatus = "pending" | "in_progress" | "completed" | "failed";

/** A step of a plan. */
export interface PlanStep {
  readonly id: string;
  /** What the step does. */
  readonly description: string;
  /** The name of the tool to use, if the step needs one. */
  readonly tool?: string;
  /** The ids of the steps that have to be completed first. */
  readonly dependsOn: readonly string[];
  readonly status: PlanStepStatus;
}

/** A step of a plan as JSON. */
export type PlanStepJSON = PlanStep;

/** The schema of a plan: a list of steps. */
export const planSchema = z.array(
  z.object({
    id: z.string().min(1),
    description: z.string(),
    tool: z.string().exactOptional(),
    dependsOn: z.array(z.string()),
    status: z.enum(["pending", "in_progress", "completed", "failed"]),
  }),
);
