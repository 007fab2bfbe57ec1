// The end of a side's turn, as far as the side's configuration decides it (Standard Agents, SideConfig), and the outcome of the turn.

import { keptBounds } from "#contract/json.ts";
import type { Json } from "#contract/json.ts";
import type { CallOutcome, StepOutcome } from "#core/ports/strategy-port.ts";
import { causeOfBlankAnswer } from "#core/record/blank-answer.ts";
import { parseBoundedJson } from "#lib/untrusted/bounded-json.ts";
import type { SideConfig } from "#spec/index.ts";

/**
 * How a turn ended: only the side's turn is over (`turn`), the whole conversation is over (`conversation`), or the run ends with an error
 * (`failed`).
 */
export type TurnEnd =
  | { type: "turn" | "conversation"; reason: string; outcome?: Json }
  | { type: "failed"; reason: string; message: string };

/** How many blank answers (without text, files and calls) in a row end the run. */
const blankAnswers = 3;

/**
 * The end of a side's turn that its configuration decides, whatever the strategy: a successful call of the end-session tool, a call of the
 * stop tool, or blank answers. Null if the strategy decides. `blanks` counts the consecutive blank answers at the end of the loop's
 * messages (decision record 23: the rule about blank answers belongs to the Standard Agents document).
 */
export function configuredEnd(side: SideConfig, step: StepOutcome, blanks: () => number): TurnEnd | null {
  const ended = step.calls.find(({ call, result }) => call.name === side.endSessionTool && result.status === "success");
  if (ended !== undefined)
    return { type: "conversation", reason: "end_session_tool", outcome: stopOutcome(side, ended) };
  const stopped = step.calls.find(({ call }) => call.name === side.stopTool);
  if (stopped !== undefined) return { type: "turn", reason: "stop_tool", outcome: stopOutcome(side, stopped) };
  if (!step.blank) return null;
  const cause = causeOfBlankAnswer(step);
  if (cause !== null) return { type: "failed", ...cause };
  if (blanks() < blankAnswers) return null;
  const message = `The model gave ${blankAnswers} blank answers in a row.`;
  return { type: "failed", reason: "blank_answer", message };
}

/**
 * Whether a turn ends by an answer, which has to match its form: by a response, or because a strategy of the project ended it after one. An
 * outcome replaces the answer's data.
 */
export function isEndedByAnswer({ reason, outcome }: { reason: string; outcome?: Json }): boolean {
  return reason === "response" || (reason === "strategy" && (outcome ?? null) === null);
}

/**
 * The outcome of the turn: the named property of the tool's result as JSON, else of its arguments, else the text of the result (decision 6:
 * stop tools).
 */
export function stopOutcome(side: SideConfig, { call, result }: CallOutcome): Json {
  const property = side.stopToolResponseProperty;
  if (property === undefined) return result.result ?? result.error ?? null;
  const fromResult = field(parsed(result.result), property);
  if (fromResult !== undefined) return fromResult;
  return field(call.arguments, property) ?? result.result ?? null;
}

function parsed(text: string | undefined): Json | undefined {
  try {
    return text === undefined ? undefined : (parseBoundedJson(text, keptBounds) as Json);
  } catch {
    return undefined;
  }
}

function field(value: Json | undefined, property: string): Json | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, property) ? value[property] : undefined;
}
