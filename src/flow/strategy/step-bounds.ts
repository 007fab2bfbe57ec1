// Computes how many steps a run and its turns may take (decision 8: step limits).

import type { AnyAgentDefinition, SideConfig } from "#spec/index.ts";

/** The bounds of a run's steps that do not come from its agent. */
export interface RunBounds {
  /** The caller's limit; null removes every bound except the agent's, undefined if the caller sent none. */
  requested: number | null | undefined;
  /** The deployment's limit for runs without another bound; null for none. */
  ceiling: number | null;
}

/** How many steps a side (one of the agent's one or two models) may take in a turn; null for no bound. */
export function turnBound(side: SideConfig): number | null {
  return side.maxSteps ?? null;
}

/**
 * How many steps the whole run may take; null for no bound. The agent's bounds replace the deployment's only if they bound the run in every
 * case: a handoff begins a new turn, and two sides may alternate without end.
 */
export function runBound(
  agent: AnyAgentDefinition,
  handedOver: boolean,
  { requested, ceiling }: RunBounds,
): number | null {
  if (requested !== undefined) return requested;
  return !handedOver && isBounded(agent) ? null : ceiling;
}

/**
 * How many model requests the run's steps and tools may send together; null for no bound. `maxSteps` does not bound the requests of tools,
 * so the deployment's ceiling applies to them in every run. Only a caller who may exceed the ceiling replaces it.
 */
export function requestCeiling({ requested, ceiling }: RunBounds): number | null {
  if (requested === null || ceiling === null) return null;
  return Math.max(requested ?? 0, ceiling);
}

function isBounded(agent: AnyAgentDefinition): boolean {
  const a = turnBound(agent.sideA) !== null;
  if (agent.type !== "dual_ai") return a;
  const b = agent.sideB !== undefined && turnBound(agent.sideB) !== null;
  return a && b && agent.maxSessionTurns !== undefined;
}
