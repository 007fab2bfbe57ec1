// Computes the bounds of a run and of its thread: the strictest of the agent's, the caller's and the deployment's. A limit of the caller
// was checked against the deployment's at admission, so it replaces the deployment's.

import type { Limits } from "#contract/run.ts";
import type { Allowance } from "#core/limits/allowed.ts";
import { strictest } from "#core/limits/amounts.ts";
import type { AmountName, Bounds } from "#core/limits/amounts.ts";
import type { RunProgress, RunRecord } from "#core/record/run-record.ts";
import type { AnyAgentDefinition, LimitAmounts, SideConfig } from "#spec/index.ts";

import { requestCeiling, runBound } from "./step-bounds.ts";

/** The agent and its side (one of its one or two models) that take the next step. */
export interface ActiveSide {
  agent: AnyAgentDefinition;
  side: SideConfig;
  /** Whether the run began with another agent, which handed the thread over. */
  isHandedOver: boolean;
}

/** The limits of the run's callers, and the amounts that were raised while the run was suspended at a limit. */
export type RequestedLimits = Pick<RunRecord, "limits"> & { raised?: RunProgress["raised"] | undefined };

/** What the deployment allows, and the number of model requests that the run's tools have sent (default 0). */
export type AllowedUse = Pick<Allowance, "run"> & { toolRequests?: number | undefined };

/** The bounds of the run while this side is active. */
export function runBounds(
  { agent, side, isHandedOver }: ActiveSide,
  { limits: requestedLimits, raised }: RequestedLimits,
  { run: allowed, toolRequests = 0 }: AllowedUse,
): Bounds {
  const granted = (name: AmountName): number | null => {
    const requested = requestedLimits?.[name];
    return requested === undefined ? allowed[name] : requested;
  };
  const defined = definedBounds({ ...agent.limits, ...side.limits });
  // An agent that suspends its runs at a limit lets the caller decide, so a raised amount removes the agent's bound.
  if (definedOnLimit({ agent, side }) === "rest") for (const name of raised ?? []) defined[name] = null;
  const requested = requestedLimits?.steps;
  const steps = runBound(agent, isHandedOver, { requested, ceiling: allowed.steps });
  // The requests of tools leave fewer steps of the ceiling. They are no steps of the run, so other bounds do not count them.
  const ceiling = steps === null ? null : requestCeiling({ requested, ceiling: allowed.steps });
  return strictest(defined, {
    steps: strictest({ steps }, { steps: ceiling === null ? null : ceiling - toolRequests }).steps,
    turns: granted("turns"),
    tokens: granted("tokens"),
    duration_ms: granted("duration_ms"),
    cost: granted("cost"),
  });
}

/** The bounds of the thread while it has this agent. */
export function threadBounds({ threadLimits = {} }: AnyAgentDefinition, { thread }: Pick<Allowance, "thread">): Bounds {
  return strictest(definedBounds(threadLimits), thread);
}

/** Whether a run that reaches a limit ends or is suspended. The caller's setting has precedence, then the side's, then the agent's. */
export function onLimit(speaking: Pick<ActiveSide, "agent" | "side">, asked: Limits | null): "end" | "rest" {
  return asked?.on_limit ?? definedOnLimit(speaking);
}

/**
 * The bounds that remain if a caller removes the limit of one amount. A run that is suspended at its limits ends at these bounds. For a run
 * that ends at its limits they are the ordinary bounds.
 */
export function firmBounds(
  speaking: ActiveSide,
  asked: RequestedLimits,
  { amount, allowed }: { amount: AmountName; allowed: AllowedUse },
): Bounds {
  const { limits, raised = [] } = asked;
  if (onLimit(speaking, limits) === "end") return runBounds(speaking, asked, allowed);
  const lifted = { limits: { ...limits, [amount]: null }, raised: [...raised, amount] };
  return runBounds(speaking, lifted, allowed);
}

/**
 * Milliseconds after which a step is aborted; null for never. If only the request asks for suspension at limits, the deployment's duration
 * still applies, so that a user cannot keep a request to a model open longer than that, unless an administrator allowed it.
 */
export function abortAfterMs(
  speaking: ActiveSide,
  asked: RequestedLimits,
  allowed: Pick<Allowance, "run">,
): number | null {
  const firm = firmBounds(speaking, asked, { amount: "duration_ms", allowed });
  const requested = asked.limits?.duration_ms;
  const ceiling = allowed.run.duration_ms;
  const isMore = requested === null || (requested !== undefined && ceiling !== null && requested > ceiling);
  return strictest(firm, { duration_ms: isMore || definedOnLimit(speaking) === "rest" ? null : ceiling }).duration_ms;
}

function definedOnLimit({ agent, side }: Pick<ActiveSide, "agent" | "side">): "end" | "rest" {
  return side.limits?.onLimit ?? agent.limits?.onLimit ?? "end";
}

function definedBounds({ steps, turns, tokens, durationMs, cost }: LimitAmounts): Bounds {
  return {
    steps: steps ?? null,
    turns: turns ?? null,
    tokens: tokens ?? null,
    duration_ms: durationMs ?? null,
    cost: cost ?? null,
  };
}
