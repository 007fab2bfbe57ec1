// Provides every part of the page with the reachability of the server. The page's frame shows an outage once. A part
// that cannot be loaded meanwhile shows no note of its own and is loaded again after the outage.

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { ThreadholdNetworkError } from "threadhold/client";

/** The reachability of the server. */
export interface Reach {
  /** The last check failed. */
  lost: boolean;
  /** The end of the last check, in milliseconds since epoch. */
  checkedAt: number;
  /** A counter that rises whenever failed parts should be read again. */
  recoveries: number;
  /** Checks at once. Parts call it after a failed request. */
  check: () => void;
}

/** The page's reachability. Without a frame the server counts as reachable. */
export const ReachContext = createContext<Reach>({ lost: false, checkedAt: 0, recoveries: 0, check: () => undefined });

/** Whether the server can be reached. */
export function useReach(): Reach {
  return useContext(ReachContext);
}

/**
 * Whether an error needs no note of its own, because the page's frame shows an outage, or checks for one, or because the server is
 * reachable again and `retry` was called. `retry` is called once for each error, when the server is reachable again.
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

/** Whether a request got no response. */
export function isNetworkError(error: unknown): error is ThreadholdNetworkError {
  return error instanceof ThreadholdNetworkError;
}
