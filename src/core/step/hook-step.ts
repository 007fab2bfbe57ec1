// The steps of a loop in the form that hooks receive.

import type { HookStep, HookStepEnd } from "../ports/hook-port.ts";
import type { RunPorts } from "../ports/run-ports.ts";
import type { RunEnd } from "../ports/strategy-port.ts";
import { lastStep } from "../record/run-state.ts";

/** The step with this number of the loop. */
export function hookStep(step: number, { run, scope }: Pick<RunPorts, "run" | "scope">): HookStep {
  return { run_id: run.id, step, depth: scope.depth };
}

/** The end of the step with this number, the loop's last one. `end` is the end of the loop, if the loop ended in this step. */
export function hookStepEnd(step: number, end: RunEnd | undefined, ports: RunPorts): HookStepEnd {
  const last = lastStep(ports.journal.messages, ports.scope);
  // A step that failed before its answer was stored has no answer.
  const isStored = last?.answer.step === step;
  return {
    ...hookStep(step, ports),
    status: end?.status ?? "completed",
    answer: isStored ? last.answer : null,
    results: isStored ? last.results : [],
  };
}
