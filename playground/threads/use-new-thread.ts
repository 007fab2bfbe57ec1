// Creates a thread, optionally with a first message, and opens it. A thread without a title is named after that message.

import { useMutation } from "@tanstack/react-query";
import type { NewThread, Thread } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";
import { useLocation } from "wouter";

import { nameAfter, threadPath } from "./thread-title.ts";

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
      const handle = client.thread(made);
      const { message } = await handle.messages.post({ content: say });
      if (made.title === null && message !== null) await nameAfter(handle, message);
      return made;
    },
    onSuccess: ({ id }) => navigate(threadPath(id)),
  });
}
