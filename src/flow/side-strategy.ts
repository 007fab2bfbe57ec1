// When a side's turn is over and what the run then comes to (Standard Agents, SideConfig; decisions 5 to 8).

import type { Json } from "#contract/json.ts";
import type { CallOutcome, Decision, Progress, Strategy } from "#core/ports/strategy.ts";
import type { SideConfig } from "#spec/index.ts";

/** Blank answers in a row before the run gives up. */
const blankAnswers = 3;

/** Bounds of a run in steps; null is no bound. */
export interface StepBounds {
  /** The side's own (`maxSteps`). */
  side: number | null;
  /** The caller's, or the platform's ceiling where nobody said anything. */
  run: number | null;
}

/** Asked before each step: true while the last answers were all blank. Derived from rows, so that a cut run agrees. */
export type BlankStreak = () => number;

/** The strategy of an `ai_human` side. */
export function sideStrategy(side: SideConfig, bounds: StepBounds, blankStreak: BlankStreak): Strategy {
  return {
    name: "loop",
    next: (progress) => turnOver(side, progress, blankStreak) ?? limitReached(bounds, progress) ?? { type: "step" },
  };
}

function turnOver(side: SideConfig, { last }: Progress, blankStreak: BlankStreak): Decision | null {
  if (last === null) return null;
  const ended = last.calls.find(({ call, result }) => call.name === side.endSessionTool && result.status === "success");
  if (ended !== undefined) return completed("end_session_tool", outcomeOf(side, ended));
  const stopped = last.calls.find(({ call }) => call.name === side.stopTool);
  if (stopped !== undefined) return completed("stop_tool", outcomeOf(side, stopped));
  if (last.calls.length > 0) return null;
  if (last.text !== null && last.text.trim() !== "") {
    return side.stopOnResponse === false ? null : completed("response", undefined);
  }
  if (blankStreak() < blankAnswers) return null;
  const message = `The model gave ${blankAnswers} blank answers in a row.`;
  return { type: "end", status: "error", reason: "blank_answer", error: { code: "blank_answer", message } };
}

function limitReached({ side, run }: StepBounds, { steps }: Progress): Decision | null {
  const reached = (bound: number | null) => bound !== null && steps >= bound;
  if (!reached(side) && !reached(run)) return null;
  return { type: "end", status: "limit", reason: "max_steps", turn: "a" };
}

function completed(reason: string, outcome: Json | undefined): Decision {
  return { type: "end", status: "completed", reason, turn: "a", ...(outcome === undefined ? {} : { outcome }) };
}

/** The property of the tool's result, read as JSON; else of its arguments; else the result's text (decision 6). */
function outcomeOf(side: SideConfig, { call, result }: CallOutcome): Json {
  const property = side.stopToolResponseProperty;
  if (property === undefined) return result.result ?? result.error ?? null;
  const fromResult = field(parsed(result.result), property);
  if (fromResult !== undefined) return fromResult;
  return field(call.arguments, property) ?? result.result ?? null;
}

function parsed(text: string | undefined): Json | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    return undefined;
  }
}

function field(value: Json | undefined, property: string): Json | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, property) ? value[property] : undefined;
}
