// Counts the rounds of calls of a turn up to a maximum, and decides after each answer whether a turn of `llm` continues. A round is all calls
// of one answer.

import type { EventDraft } from "#contract/event.ts";
import type { Decision, StepOutcome, Strategy } from "#core/ports/strategy-port.ts";
import { causeOfBlankAnswer } from "#core/record/blank-answer.ts";

import type { TurnRecords } from "./turn-records.ts";

/** Counts the rounds of calls of a turn. */
export class ToolRounds {
  readonly #maximum: number;
  #rounds = 0;
  #leavesCalls = false;

  constructor(maximum: number) {
    this.#maximum = maximum;
  }

  /** Whether the calls of the last answer were left unexecuted. */
  get leavesCalls(): boolean {
    return this.#leavesCalls;
  }

  /** Whether the turn fails because calls were left unexecuted. With a maximum of 0, the program requested that. */
  get isExceeded(): boolean {
    return this.#leavesCalls && this.#maximum > 0;
  }

  /** Decides whether the calls of an answer run. */
  allows(): "run" | "leave" {
    this.#leavesCalls = this.#rounds >= this.#maximum;
    this.#rounds += 1;
    return this.#leavesCalls ? "leave" : "run";
  }
}

/** A turn in progress, as its strategy receives it. */
export interface TurnProgress {
  readonly records: TurnRecords;
  readonly rounds: ToolRounds;
  /** Aborts the run. The turn then throws the error unchanged. */
  readonly fail: (error: unknown) => void;
  /** Emits an event of the strategy. */
  readonly emit: (event: EventDraft) => void;
}

/** Requests the model until an answer calls no tool, or until no further round is allowed. */
export function untilResponse({ rounds }: TurnProgress): Strategy {
  return {
    name: "tool-rounds",
    next({ last }) {
      if (last === null) return { type: "step" };
      if (last.calls.length > 0 && !rounds.leavesCalls) return { type: "step" };
      return blockedEnd(last) ?? { type: "end", status: "completed", reason: "response" };
    },
    allows: () => rounds.allows(),
  };
}

/** The end of a run whose last answer was blocked by the provider's content filter; null for any other answer. */
export function blockedEnd(last: StepOutcome): Extract<Decision, { type: "end" }> | null {
  const cause = last.blank && last.stop_reason === "content_filter" ? causeOfBlankAnswer(last) : null;
  if (cause === null) return null;
  const { reason, message } = cause;
  return { type: "end", status: "error", reason, error: { code: reason, message } };
}
