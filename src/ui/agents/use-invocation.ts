// One call of a tool that no model asked for: in a thread that is there or one made for it, waited for as long as it takes.

import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";

import type { JsonObject, ThreadHandle, ToolResult } from "#client/index.ts";
import { useThreadholdClient } from "#react/index.ts";

/** What is asked for; `thread` is null for a new one. */
export interface InvocationRequest {
  tool: string;
  thread: string | null;
  /** Of a new thread. */
  agent: string;
  args: JsonObject;
}

/** What came of it. */
export interface Invocation {
  handle: ThreadHandle;
  args: JsonObject;
  result: ToolResult;
  /** Milliseconds from asking to the answer. */
  tookMs: number;
}

/** The mutation, and what ends the wait for it. `onThread` hears of a thread that was made. */
export function useInvocation(onThread: (id: string) => void) {
  const client = useThreadholdClient();
  const leave = useRef<AbortController | null>(null);
  const run = useMutation({
    mutationFn: async ({ tool, thread, agent, args }: InvocationRequest): Promise<Invocation> => {
      leave.current = new AbortController();
      const { signal } = leave.current;
      const id = thread ?? (await client.threads.create({ agent_id: agent, title: `Calls of ${tool}` }, { signal })).id;
      if (thread === null) onThread(id);
      const handle = client.thread(id);
      const begun = performance.now();
      const result = await handle.tools.invoke(tool, args, { signal });
      return { handle, args, result, tookMs: performance.now() - begun };
    },
  });
  return { run, leave: () => leave.current?.abort(new Error(left)) };
}

const left = "This page no longer waits for the call. The call may go on; its result is then in the thread's logs.";
