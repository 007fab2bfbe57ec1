// The limits of a loop, and what it used so far (REQ-012, REQ-061). A loop checks them before each request.

import { isObject } from "#lib/json-value.ts";

import { LoopError } from "../loop-error.ts";
import { refuseUnknown, shown } from "./context-config.ts";

/** A span of time, as the document's data writes it: whole seconds, and nanoseconds below one second. */
export interface Duration {
  secs: number;
  nanos?: number;
}

/** The limits of a loop (architecture §4). */
export interface ExecutionLimits {
  /** The maximum number of requests. Default: 50. */
  max_turns?: number;
  /** The maximum number of tokens of all turns. Default: 1,000,000. */
  max_total_tokens?: number;
  /** The maximum time, such as { secs: 600 }, which is the default. */
  max_duration?: Duration;
}

/** Limits with all their values. */
export interface CompleteExecutionLimits {
  max_turns: number;
  max_total_tokens: number;
  max_duration: Required<Duration>;
}

/** The defaults of ExecutionLimits. */
export const defaultExecutionLimits: CompleteExecutionLimits = Object.freeze({
  max_turns: 50,
  max_total_tokens: 1_000_000,
  max_duration: Object.freeze({ secs: 600, nanos: 0 }),
});

/** Counts the turns, tokens and time of a loop against its limits. */
export class ExecutionTracker {
  readonly limits: CompleteExecutionLimits;
  /** The clock's time in milliseconds when the tracker was created. */
  readonly started_at: number;
  turns = 0;
  tokens_used = 0;
  readonly #now: () => number;

  /** `now` returns the time in milliseconds. Throws a LoopError for a wrong limit. */
  constructor(limits: ExecutionLimits = {}, now: () => number = Date.now) {
    this.limits = completeExecutionLimits(limits);
    this.#now = now;
    this.started_at = now();
  }

  /** Adds a turn and its tokens. */
  recordTurn(tokens: number): void {
    if (!(tokens >= 0 && tokens < Infinity))
      throw new LoopError(`recordTurn takes the tokens of a turn, a number of at least 0; it is ${shown(tokens)}.`);
    this.turns += 1;
    this.tokens_used += tokens;
  }

  /** The reason why the loop has to stop; null if it is within all limits. */
  checkLimits(): string | null {
    const { max_turns, max_total_tokens, max_duration } = this.limits;
    if (this.turns >= max_turns) return "max turns exceeded";
    if (this.tokens_used >= max_total_tokens) return "max total tokens exceeded";
    return this.#now() - this.started_at >= milliseconds(max_duration) ? "max duration exceeded" : null;
  }
}

/** The limits with their defaults. Throws a LoopError for a wrong value. */
function completeExecutionLimits(limits: ExecutionLimits): CompleteExecutionLimits {
  if (!isObject(limits)) throw new LoopError("`executionLimits` has to be an object, such as { max_turns: 50 }.");
  refuseUnknown("executionLimits", limits, defaultExecutionLimits);
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  const { max_turns, max_total_tokens, max_duration } = { ...defaultExecutionLimits, ...Object.fromEntries(given) };
  checkCount("max_turns", max_turns);
  checkCount("max_total_tokens", max_total_tokens);
  return { max_turns, max_total_tokens, max_duration: completeDuration(max_duration) };
}

function completeDuration(duration: unknown): Required<Duration> {
  if (!isObject(duration))
    throw new LoopError(
      `\`executionLimits.max_duration\` is ${shown(duration)}. It has to be an object with seconds, such as { secs: 600 }.`,
    );
  refuseUnknown("executionLimits.max_duration", duration, defaultExecutionLimits.max_duration);
  const { secs, nanos = 0 } = duration as Partial<Required<Duration>>;
  checkCount("max_duration.secs", secs);
  checkCount("max_duration.nanos", nanos, 999_999_999);
  return { secs: secs as number, nanos };
}

function checkCount(name: string, value: unknown, most: number = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most) return;
  throw new LoopError(`\`executionLimits.${name}\` is ${shown(value)}. It has to be a whole number from 0 to ${most}.`);
}

/** A duration in milliseconds. */
export function milliseconds({ secs, nanos = 0 }: Duration): number {
  return secs * 1000 + nanos / 1e6;
}
