// Finds the calls whose tool message does not exist yet: messages under a call arrive before its result.

import { useCallback, useRef } from "react";
import type { ThreadHandle, ThreadView } from "threadhold/client";
import { useThreadState } from "threadhold/react";

import type { CallsAtWork } from "./rows.ts";

/** The calls by the ids that their tool messages will have. */
export function callsAtWork(tools: ThreadView["tools"]): CallsAtWork {
  const calls = new Map<string, string>();
  for (const { message_id: id, tool_call_id: call } of Object.values(tools)) if (id !== null) calls.set(id, call);
  return calls;
}

/** Returns the calls; the same map until another call starts. */
export function useCallsAtWork(handle: ThreadHandle): CallsAtWork {
  const last = useRef<CallsAtWork>(new Map());
  const select = useCallback(({ tools }: ThreadView) => {
    const calls = callsAtWork(tools);
    const known = last.current;
    if (calls.size !== known.size || [...calls.keys()].some((id) => !known.has(id))) last.current = calls;
    return last.current;
  }, []);
  return useThreadState(handle.id, select);
}
