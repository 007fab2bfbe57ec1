// Creates a thread, optionally with a first message, and opens it.

import { useMutation } from "@tanstack/react-query";
import type { NewThread, Thread } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";
import { useLocation } from "wouter";

import { threadPath } from "./thread-title.ts";

/** The thread to create. */
export interface NewThreadRequest {
  thread: NewThread;
  /** The first message, posted once the thread exists. */
  say?: string | undefined;
}

/** The mutation. It ends when the thread is open; the first message is answered there. */
export function useNewThread() {
  const client = useThreadholdClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async ({ thread, say }: NewThreadRequest): Promise<Thread> => {
      const made = await client.threads.create(thread);
      if (say === undefined) return made;
      await client.thread(made).messages.post({ content: say });
      return made;
    },
    onSuccess: ({ id }) => navigate(threadPath(id)),
  });
}
