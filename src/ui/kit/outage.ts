// Whether the server can be reached, for every part of the page. An outage is shown once, in the page's frame: a part that could not
// be read meanwhile shows nothing, and reads again when it is over.

import { createContext, useContext, useEffect, useRef, useState } from "react";

import { ThreadholdNetworkError } from "#client/index.ts";

/** What is known of the server. */
export interface Reach {
  /** The last check failed. */
  lost: boolean;
  /** Milliseconds since epoch of the last check that is over. */
  checkedAt: number;
  /** Rises whenever parts that failed should read again. */
  recoveries: number;
  /** Checks now. A part whose request failed asks for it. */
  check: () => void;
}

/** The page's; without a frame around it the server counts as reached. */
export const ReachContext = createContext<Reach>({ lost: false, checkedAt: 0, recoveries: 0, check: () => undefined });

/** Whether the server can be reached. */
export function useReach(): Reach {
  return useContext(ReachContext);
}

/**
 * Whether an error needs no note of its own: the page's frame shows the outage, or is about to find out whether there is one, or the
 * server is back and `retry` was called. `retry` is called once for each error, when the server is back.
 */
export function useReported(error: Error | null, retry: () => void): boolean {
  const { lost, checkedAt, recoveries, check } = useReach();
  const [seen, setSeen] = useState<{ error: Error; at: number; recoveries: number } | null>(null);
  const latest = useRef({ retry, recoveries });
  latest.current = { retry, recoveries };
  useEffect(() => {
    setSeen(error === null ? null : { error, at: Date.now(), recoveries: latest.current.recoveries });
    if (error !== null) check();
  }, [error, check]);
  const known = seen?.error === error ? seen : null;
  const isBack = known !== null && recoveries > known.recoveries;
  useEffect(() => {
    if (isBack) latest.current.retry();
  }, [isBack]);
  return error !== null && (lost || known === null || isBack || checkedAt < known.at);
}

/** Whether a request got no answer of the server. */
export function isNetworkError(error: unknown): error is ThreadholdNetworkError {
  return error instanceof ThreadholdNetworkError;
}
