// What a test does to the object of a thread: it restarts the object, or runs a function inside it.

/// <reference types="@cloudflare/vitest-pool-workers/types" />
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";

import type { ThreadholdBindings } from "#worker/bindings.ts";

function stubOf(threadId: string): DurableObjectStub {
  const { THREADS } = env as unknown as ThreadholdBindings;
  return THREADS.get(THREADS.idFromName(threadId));
}

/** Restarts the object of a thread as a crash does: its memory is lost, its rows are kept. */
export async function restartObject(threadId: string): Promise<void> {
  const dying = runInDurableObject(stubOf(threadId), async (_, state) => {
    await state.storage.sync();
    // The test pool prints no line for an object that is aborted with a reason that begins like this one.
    state.abort("Instance disposed: the test restarts the thread.");
  });
  // The call itself fails, because its object is gone.
  await dying.catch(() => undefined);
}

/** Runs a function inside the object of a thread. A promise has to be resolved in the object that waits for it. */
export function runInObject(threadId: string, act: () => void): Promise<void> {
  return runInDurableObject(stubOf(threadId), act);
}
