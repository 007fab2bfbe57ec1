// User messages that join the active run before its next model call (decision 28: queue, steer, interrupt).

import type { RunPorts } from "./run-ports.ts";

/**
 * Contract: synchronous. `waiting` is true while messages wait to join. `join` puts all of them after the run's last message, in one
 * transaction, and sends their events.
 */
export interface Steering {
  readonly waiting: boolean;
  join(): void;
}

/** True while messages wait to join this loop. They join the run's main loop, never a nested one. */
export function isSteered({ steering, scope }: Pick<RunPorts, "steering" | "scope">): boolean {
  return scope.depth === 0 && steering?.waiting === true;
}
