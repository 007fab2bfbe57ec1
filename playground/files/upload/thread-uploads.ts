// The uploads of each thread, kept while the page is open: a look at the conversation ends none of them. Closing the page would, so it
// asks first.

import { ThreadholdClientError } from "threadhold/client";
import type { ThreadHandle } from "threadhold/client";

import { UploadQueue } from "./upload-queue.ts";

const queues = new Map<ThreadHandle, UploadQueue>();

/** The thread's. */
export function uploadsOf(handle: ThreadHandle): UploadQueue {
  const known = queues.get(handle);
  if (known !== undefined) return known;
  const queue = new UploadQueue({
    send: (path, file, { over, signal, onLoaded }) =>
      handle.files.upload(path, file, {
        signal,
        onProgress: ({ loaded }) => onLoaded(loaded),
        ...(over ? {} : { ifNoneMatch: "*" }),
      }),
    isTaken,
  });
  for (const [old, queue] of queues) if (queue.get().length === 0) queues.delete(old);
  queues.set(handle, queue);
  return queue;
}

/** Whether leaving the page would lose one. */
export function areUploadsBusy(): boolean {
  return [...queues.values()].some(({ busy }) => busy);
}

/** Whether something is there already, or is another one than was expected. */
export function isTaken(error: unknown): boolean {
  return error instanceof ThreadholdClientError && error.code === "conflict";
}
