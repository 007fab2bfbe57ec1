// Runs a tool by hand, in an existing thread or in one created for the call. The wait for the result has no limit and can be ended.

import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import type { JsonObject, ThreadHandle, ToolResult } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";

/** The call to make; `thread` is null for a new one. */
export interface InvocationRequest {
  tool: string;
  thread: string | null;
  /** The agent of a new thread. */
  agent: string;
  args: JsonObject;
}

/** The call and its result. */
export interface Invocation {
  handle: ThreadHandle;
  args: JsonObject;
  result: ToolResult;
  /** Milliseconds from the request to the result. */
  tookMs: number;
}

/**
 * The mutation, and a function that stops waiting for it. `onThread` receives the id of a created thread when the call is over or the
 * wait was stopped: an earlier change of the form would move the button under the pointer.
 */
export function useInvocation(onThread: (id: string) => void) {
  const client = useThreadholdClient();
  const leave = useRef<AbortController | null>(null);
  const run = useMutation({
    // Otherwise a call without a network could not be stopped, and would run long after it was requested.
    networkMode: "always",
    mutationFn: async ({ tool, thread, agent, args }: InvocationRequest): Promise<Invocation> => {
      leave.current = new AbortController();
      const { signal } = leave.current;
      const id = thread ?? (await client.threads.create({ agent_id: agent, title: `Calls of ${tool}` }, { signal })).id;
      try {
        signal.throwIfAborted();
        const handle = client.thread(id);
        const begun = performance.now();
        const result = await handle.tools.invoke(tool, args, { signal });
        return { handle, args, result, tookMs: performance.now() - begun };
      } finally {
        if (thread === null) onThread(id);
      }
    },
  });
  return { run, leave: () => leave.current?.abort(new Error(left)) };
}

const left = "This page no longer waits for the call. The call may go on; its result is then in the thread's logs.";
