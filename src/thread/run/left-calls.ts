// Decides what happens to tool calls that definitions queued and that a run did not make before it ended. Calls that the run never tried
// start another run. All other calls are dropped and named in the run's error, because the next run would fail with them too. The number of
// runs that follow each other in this way is bounded.

import type { RunEnd } from "#core/ports/strategy-port.ts";
import type { QueuedCall, RunProgress } from "#core/record/run-record.ts";

/**
 * The maximum number of consecutive runs that may start for tool calls of the run before. Each run's row stores the count, so a crash does
 * not reset it.
 */
const longestChain = 10;

/** The maximum number of names of calls that an error message lists. */
const namesShown = 5;

/** The calls for the next run, and the end of the current one. */
export interface LeftCalls {
  /** Calls for another run. */
  next: QueuedCall[];
  /** The end of the current run, with an error if calls are dropped. */
  end: RunEnd;
}

/** Decides which calls of an ended run start another run. A stop drops all of them. */
export function leftCalls({ calls = [], chain = 0 }: Pick<RunProgress, "calls" | "chain">, end: RunEnd): LeftCalls {
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
