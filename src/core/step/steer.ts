// Messages that join a run under way (decision 28): before its own line asks a model again, and in the place of calls that
// have not begun.

import type { RunPorts } from "../ports/run-ports.ts";
import type { ToolMode } from "../ports/step-port.ts";

/** True while messages wait for the line that is driven: the run's own, never one under a call. */
export function isSteered({ steering, line }: Pick<RunPorts, "steering" | "line">): boolean {
  return line.depth === 0 && steering?.waiting === true;
}

/** True where calls of a step that have not begun are not to begin: side by side they have all begun. */
export function skipsCalls(ports: RunPorts, toolMode: ToolMode): boolean {
  return toolMode !== "parallel" && isSteered(ports);
}
