// Decides when a side's turn ends and with which outcome (Standard Agents, SideConfig; decisions 5 to 7: responses and tools that end a
// turn or the session). A side is one of the agent's one or two models.

import { keptBounds } from "#contract/json.ts";
import type { Json } from "#contract/json.ts";
import { causeOfBlankAnswer } from "#core/blank-answer.ts";
import type { CallOutcome, StepOutcome } from "#core/ports/strategy-port.ts";
import type { MessageRecord } from "#core/record.ts";
import { isBlank } from "#core/run-state.ts";
import { isAnswer, isInScope } from "#core/scope.ts";
import type { Scope } from "#core/scope.ts";
import { parseBoundedJson } from "#lib/bounded-json.ts";
import type { SideConfig } from "#spec/index.ts";

/** How many blank answers (without text, files and calls) in a row end the run. */
const blankAnswers = 3;

/** How a turn ended: for its side, for the whole conversation, or with an error because the model gave no answer. */
export type TurnEnd =
  | { type: "turn" | "conversation"; reason: string; outcome?: Json }
  | { type: "failed"; reason: string; message: string };

/**
 * The end of a turn; null while it continues. A text answer ends the turn unless `stopOnResponse` is false. An answer with calls ends it
 * only if it called the stop tool or the end-session tool. `blanks` counts the blank answers at the end of the loop. If it is null, a blank
 * answer ends the turn like any other (decision record 23: the rule about blank answers belongs to the Standard Agents document).
 */
export function turnEnd(side: SideConfig, step: StepOutcome, blanks: (() => number) | null): TurnEnd | null {
  const ended = step.calls.find(({ call, result }) => call.name === side.endSessionTool && result.status === "success");
  if (ended !== undefined)
    return { type: "conversation", reason: "end_session_tool", outcome: stopOutcome(side, ended) };
  const stopped = step.calls.find(({ call }) => call.name === side.stopTool);
  if (stopped !== undefined) return { type: "turn", reason: "stop_tool", outcome: stopOutcome(side, stopped) };
  if (step.calls.length > 0) return null;
  if (!step.blank) return side.stopOnResponse === false ? null : { type: "turn", reason: "response" };
  const cause = causeOfBlankAnswer(step);
  if (cause !== null) return { type: "failed", ...cause };
  if (blanks === null) return { type: "turn", reason: "response" };
  if (blanks() < blankAnswers) return null;
  const message = `The model gave ${blankAnswers} blank answers in a row.`;
  return { type: "failed", reason: "blank_answer", message };
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

/** Counts the blank answers (without text, files and calls) at the end of a loop. */
export function blankStreak(messages: readonly MessageRecord[], scope: Scope): number {
  const answers = messages.filter((message) => isAnswer(message) && isInScope(scope, message));
  return answers.length - 1 - answers.findLastIndex((message) => !isBlank(message));
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
