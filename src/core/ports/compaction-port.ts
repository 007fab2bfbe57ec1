// The port that completes the compactions of steps. A process whose steps are never compacted does without it.

import type { RowEvents } from "../step/row-events.ts";
import type { ReservedShare } from "./limit-port.ts";
import type { RunPorts } from "./run-ports.ts";
import type { NumberedPlan } from "./step-port.ts";
import type { StepShape } from "./strategy-port.ts";

/** The next attempt: the index of its model among the model and its fallbacks, and the attempt's number. */
export interface RetryPosition {
  model: number;
  attempt: number;
}

/** The step whose conversation is compacted. */
export interface CompactedStep {
  shape: StepShape;
  ports: RunPorts;
  events: RowEvents;
  signal: AbortSignal;
}

/** The plan of a step, and the reserved share of its summary; null if the plan requests no summary. */
export interface PlanWithinLimits {
  plan: NumberedPlan;
  reserved: ReservedShare | null;
}

/** Contract: rejects only for a bug. */
export interface CompactionPort {
  /**
   * Reserves the share of the plan's summary together with the share of the step's request. If the remaining budget is too small for both,
   * the messages are compacted without a summary, and the step has a warning. The caller has reserved nothing, because a loop that waits for a
   * share must not keep another one. `from` is the attempt with which the step's request begins.
   */
  reserveSummary(
    plan: NumberedPlan,
    from: RetryPosition,
    step: Omit<CompactedStep, "events">,
  ): Promise<PlanWithinLimits>;
  /**
   * Emits the events of the plan's compaction, and requests its summary. Returns the plan with the summary. If the plan requests no summary,
   * or if the summary fails, the messages are compacted without a summary.
   */
  complete(plan: NumberedPlan, step: CompactedStep): Promise<NumberedPlan>;
  /**
   * Plans the step with a smaller request. Returns null if nothing of the request can be left out. `from` is the attempt that the model
   * refused; its usage is counted and its share given back.
   */
  smallerPlan(plan: NumberedPlan, from: RetryPosition, step: CompactedStep): Promise<NumberedPlan | null>;
}
