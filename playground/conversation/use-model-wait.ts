// The wait for a model's first token: its beginning and its attempt. The server sends no event during the wait, so the page measures it.

import { useEffect, useState } from "react";
import type { ThreadEvent, ThreadHandle } from "threadhold/client";

export interface ModelWait {
  /** Milliseconds since epoch, by this page's clock. */
  since: number;
  attempt: number;
  /** The most attempts; null until one has failed, because only then an event reports the number. */
  of: number | null;
}

const types = [
  "snapshot",
  "step_start",
  "model_retry",
  "model_fallback",
  "text_delta",
  "thinking_delta",
  "toolcall_delta",
  "toolcall_end",
  "provider_tool_start",
  "message_end",
  "step_end",
  "awaiting_tool_execution",
  "run_end",
] as const;

/** Milliseconds before a wait is shown. Most models answer sooner, and a line that appears and disappears moves the conversation. */
const shownAfterMs = 700;

/** The wait of the run's main loop; null while an answer arrives or no request is open. */
export function useModelWait(handle: ThreadHandle): ModelWait | null {
  const [wait, setWait] = useState<ModelWait | null>(null);
  const [shown, setShown] = useState<ModelWait | null>(null);
  useEffect(() => {
    if (wait === null) {
      setShown(null);
      return undefined;
    }
    const timer = setTimeout(() => setShown(wait), Math.max(0, wait.since + shownAfterMs - Date.now()));
    return () => clearTimeout(timer);
  }, [wait]);
  useEffect(() => {
    const take = (event: ThreadEvent): void => setWait((before) => waitAfter(before, event, Date.now()));
    const leaves = types.map((type) => handle.on(type, take));
    return () => {
      for (const leave of leaves) leave();
    };
  }, [handle]);
  return shown;
}

/** The wait after an event that arrives at `now`, in milliseconds by this page's clock. The same object if the wait continues. */
export function waitAfter(before: ModelWait | null, event: ThreadEvent, now: number): ModelWait | null {
  if (event.type === "snapshot") {
    // Earlier events keep their distance in time from the snapshot, because this page's clock may differ from the server's.
    return event.partial.reduce<ModelWait | null>(
      (wait, earlier) => waitAfter(wait, earlier, now - Math.max(0, event.at - earlier.at) / 1000),
      null,
    );
  }
  // Requests of nested loops, which belong to a call, are not shown.
  if ((event.depth ?? 0) > 0 || event.parent_id !== undefined) return before;
  switch (event.type) {
    case "step_start":
      return { since: now, attempt: event.attempt, of: null };
    case "model_retry":
      return { since: now, attempt: event.attempt, of: event.max };
    case "model_fallback":
      return { since: now, attempt: 1, of: null };
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
    case "toolcall_end":
    case "provider_tool_start":
    case "message_end":
    case "step_end":
    case "awaiting_tool_execution":
    case "run_end":
      return null;
    default:
      return before;
  }
}
