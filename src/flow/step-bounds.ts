// How many steps a run and its turns may take (decision 8).

import type { AnyAgentDefinition, SideConfig } from "#spec/index.ts";

/** What bounds the steps of a run beside its agent. */
export interface RunBounds {
  /** What the caller asked for: a number, null to lift every bound but the agent's own, undefined for nothing. */
  asked: number | null | undefined;
  /** The deployment's ceiling where nothing else bounds the run; null for none. */
  ceiling: number | null;
}

/** Steps a side may take in a turn; null for no bound. */
export function turnBound(side: SideConfig): number | null {
  return side.maxSteps ?? null;
}

/**
 * Steps the whole run may take; null for no bound. What the agent says of its turns makes the ceiling needless only where
 * it bounds every path: a handoff begins a new turn, and two sides may take turns for ever.
 */
export function runBound(agent: AnyAgentDefinition, handedOver: boolean, { asked, ceiling }: RunBounds): number | null {
  if (asked !== undefined) return asked;
  return !handedOver && isBounded(agent) ? null : ceiling;
}

function isBounded(agent: AnyAgentDefinition): boolean {
  const a = turnBound(agent.sideA) !== null;
  if (agent.type !== "dual_ai") return a;
  const b = agent.sideB !== undefined && turnBound(agent.sideB) !== null;
  return a && b && agent.maxSessionTurns !== undefined;
}
