// What bounds a run and its thread: the strictest of what the agent says, what the caller asked for and what the deployment
// allows. The caller was checked when the run was admitted, so what was asked for stands in the deployment's place.

import type { Limits } from "#contract/run.ts";
import type { Allowance } from "#core/limits/allowed.ts";
import { strictest } from "#core/limits/amounts.ts";
import type { AmountName, Bounds } from "#core/limits/amounts.ts";
import type { RunRecord } from "#core/record.ts";
import type { AnyAgentDefinition, LimitAmounts, SideConfig } from "#spec/index.ts";

import { runBound } from "./step-bounds.ts";

/** Who is to speak. */
export interface Speaking {
  agent: AnyAgentDefinition;
  side: SideConfig;
  /** The agent was given the thread in the course of the run. */
  handedOver: boolean;
}

/** What callers asked of a run, and which amounts of it they raised while it rested. */
export type Asked = Pick<RunRecord, "limits" | "raised">;

/** What bounds the run while that side is to speak. */
export function runBounds(
  { agent, side, handedOver }: Speaking,
  { limits: asked, raised }: Asked,
  { run: allowed }: Pick<Allowance, "run">,
): Bounds {
  const granted = (name: AmountName): number | null => {
    const wish = asked?.[name];
    return wish === undefined ? allowed[name] : wish;
  };
  const own = ownBounds({ ...agent.limits, ...side.limits });
  // An agent that says its runs rest wants to be asked, and has its answer.
  if (ownWord({ agent, side }) === "rest") for (const name of raised ?? []) own[name] = null;
  return strictest(own, {
    steps: runBound(agent, handedOver, { asked: asked?.steps, ceiling: allowed.steps }),
    turns: granted("turns"),
    tokens: granted("tokens"),
    duration_ms: granted("duration_ms"),
    cost: granted("cost"),
  });
}

/** What bounds the thread while that agent has it. */
export function threadBounds({ threadLimits = {} }: AnyAgentDefinition, { thread }: Pick<Allowance, "thread">): Bounds {
  return strictest(ownBounds(threadLimits), thread);
}

/** What becomes of a run that reaches a limit: the caller's word wins, then the side's, then the agent's. */
export function onLimit(speaking: Pick<Speaking, "agent" | "side">, asked: Limits | null): "end" | "rest" {
  return asked?.on_limit ?? ownWord(speaking);
}

/**
 * The bounds that hold however far callers raise one amount: a run that rests at its limits ends at these. Where runs do not
 * rest they are the bounds themselves.
 */
export function lastBounds(
  speaking: Speaking,
  asked: Asked,
  { amount, allowed }: { amount: AmountName; allowed: Pick<Allowance, "run"> },
): Bounds {
  const { limits, raised = [] } = asked;
  if (onLimit(speaking, limits) === "end") return runBounds(speaking, asked, allowed);
  return runBounds(speaking, { limits: { ...limits, [amount]: null }, raised: [...raised, amount] }, allowed);
}

/**
 * Milliseconds at which a run is cut in the middle of its work; null for never. The deployment's time cuts all the same where
 * only a request wants its run to rest, unless an admin asked for more: no request is held open beyond it on a user's word.
 */
export function cutAfter(speaking: Speaking, asked: Asked, allowed: Pick<Allowance, "run">): number | null {
  const last = lastBounds(speaking, asked, { amount: "duration_ms", allowed });
  const wish = asked.limits?.duration_ms;
  const whole = allowed.run.duration_ms;
  const isMore = wish === null || (wish !== undefined && whole !== null && wish > whole);
  return strictest(last, { duration_ms: isMore || ownWord(speaking) === "rest" ? null : whole }).duration_ms;
}

function ownWord({ agent, side }: Pick<Speaking, "agent" | "side">): "end" | "rest" {
  return side.limits?.onLimit ?? agent.limits?.onLimit ?? "end";
}

function ownBounds({ steps, turns, tokens, durationMs, cost }: LimitAmounts): Bounds {
  return {
    steps: steps ?? null,
    turns: turns ?? null,
    tokens: tokens ?? null,
    duration_ms: durationMs ?? null,
    cost: cost ?? null,
  };
}
