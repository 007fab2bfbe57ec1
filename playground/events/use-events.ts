// Reads a thread's events from the first while the component is mounted, and then the new ones.

import { useEffect, useState } from "react";
import type { ThreadHandle } from "threadhold/client";

import { EventTape } from "./event-tape.ts";

/** The collected events, the error that ended the reading if there is one, and a function that reads again. */
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
