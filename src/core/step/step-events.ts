// The events of a step, each with what they share.

import { EventList } from "../event-list.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { CallPlan } from "../tools/call-slot.ts";

/** A list for the step's row. */
export function stepEvents(plan: Pick<CallPlan, "step" | "side" | "depth">, { run, sink }: RunPorts): EventList {
  return new EventList(sink, { run_id: run.id, step: plan.step, side: plan.side, depth: plan.depth });
}
