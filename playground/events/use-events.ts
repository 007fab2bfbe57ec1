// A thread's events from the first, read while somebody looks, and then those to come.

import { useEffect, useState } from "react";
import type { ThreadHandle } from "threadhold/client";

import { EventTape } from "./event-tape.ts";

/** The tape that they are written to, and why it stands still where it does. */
export function useEvents(handle: ThreadHandle): { tape: EventTape; error: Error | null; retry: () => void } {
  const [tape, setTape] = useState(() => new EventTape());
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    const leave = new AbortController();
    const written = new EventTape();
    setTape(written);
    const read = async (): Promise<void> => {
      for await (const event of handle.events({ after: 0, silent: true, signal: leave.signal })) written.push(event);
    };
    read().catch((thrown: unknown) => {
      if (!leave.signal.aborted) setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    });
    return () => leave.abort();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- an error ends a try, and the next begins when it is taken away
  }, [handle, error === null]);
  return { tape, error, retry: () => setError(null) };
}
