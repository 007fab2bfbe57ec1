// Decides between the requests of a turn: the rounds of calls that are allowed, and the strategy of a turn without an agent.

import type { EventDraft } from "#contract/event.ts";
import { causeOfBlankAnswer } from "#core/blank-answer.ts";
import type { Decision, StepOutcome, Strategy } from "#core/ports/strategy-port.ts";

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

  /** Whether that is an error: not if no round is allowed at all. */
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

/** A turn in progress, for its strategy. */
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

/** The end of a run whose last answer the provider blocked; null for any other answer. */
export function blockedEnd(last: StepOutcome): Extract<Decision, { type: "end" }> | null {
  const cause = last.blank && last.stop_reason === "content_filter" ? causeOfBlankAnswer(last) : null;
  if (cause === null) return null;
  const { reason, message } = cause;
  return { type: "end", status: "error", reason, error: { code: reason, message } };
}
