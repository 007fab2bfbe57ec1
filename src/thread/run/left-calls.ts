// Calls that definitions queued and that a run did not make before it ended. Calls that the run never tried begin a run of
// their own. All others are given up and named in the run's error: a run that failed with a call would fail with it again, and
// runs that each leave calls for the next would never come to an end.

import type { RunEnd } from "#core/ports/strategy.ts";
import type { QueuedCall, RunRecord } from "#core/record.ts";

/** Runs in direct succession that left calls may begin. The count stands in each run's row, so no crash resets it. */
const longestChain = 10;

/** Names of calls that an error message lists. */
const namesShown = 5;

/** What becomes of the calls. */
export interface LeftCalls {
  /** Calls for a run of their own. */
  next: QueuedCall[];
  /** The run's end, with an error where calls are given up. */
  end: RunEnd;
}

/** Sorts the calls that a run leaves. A stop drops all of them. */
export function leftCalls({ calls = [], chain = 0 }: Pick<RunRecord, "calls" | "chain">, end: RunEnd): LeftCalls {
  if (end.status === "stopped") return { next: [], end };
  const next = chain < longestChain ? calls.filter(({ tried }) => tried !== true) : [];
  const lost = calls.filter((call) => !next.includes(call));
  return { next, end: lost.length === 0 ? end : withLost(end, lost) };
}

function withLost(end: RunEnd, lost: readonly QueuedCall[]): RunEnd {
  const names = lost.slice(0, namesShown).map(({ name }) => `"${name}"`);
  const more = lost.length > namesShown ? ` and ${lost.length - namesShown} more` : "";
  const note = `Queued calls were not made: ${names.join(", ")}${more}.`;
  if (end.error !== undefined) return { ...end, error: { ...end.error, message: `${end.error.message} ${note}` } };
  const message = `${note} ${longestChain} runs in a row each queued calls for the next one.`;
  return { ...end, status: "error", reason: "queued_calls_lost", error: { code: "queued_calls_lost", message } };
}
