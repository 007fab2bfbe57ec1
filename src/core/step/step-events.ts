// The events of a step, each with what they share.

import { EventList } from "../event-list.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { CallPlan } from "../tools/call-slot.ts";

/** A list for the step's row. */
export function stepEvents(plan: Pick<CallPlan, "step" | "side" | "depth">, { run, sink, line }: RunPorts): EventList {
  const { step, side, depth } = plan;
  const under = line.parent_id === null ? {} : { parent_id: line.parent_id };
  return new EventList(sink, { run_id: run.id, step, side, depth, ...under });
}
