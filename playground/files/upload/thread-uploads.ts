// The uploads of each thread. They continue while another page of the playground is open. Closing the browser's page would
// end them, so the browser asks the user first (`leave-guard.ts`).

import { ThreadholdClientError } from "threadhold/client";
import type { ThreadHandle } from "threadhold/client";

import { UploadQueue } from "./upload-queue.ts";

const queues = new Map<ThreadHandle, UploadQueue>();

/** The uploads of a thread. */
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

/** Whether closing the page would end an upload. */
export function areUploadsBusy(): boolean {
  return [...queues.values()].some(({ busy }) => busy);
}

/** Whether an error means that the path is taken, or that the file has another version than expected. */
export function isTaken(error: unknown): boolean {
  return error instanceof ThreadholdClientError && error.code === "conflict";
}
