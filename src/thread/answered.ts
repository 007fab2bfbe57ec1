// Turns the outcome of a method into data for RPC: a refusal becomes data, and a failure is logged and hidden from the caller.

import { ThreadholdError } from "#contract/error.ts";
import type { Answer } from "#core/thread-rpc.ts";

/** Runs a method of the thread. Never rejects. */
export async function answered<T>(threadId: string | null, work: () => T | Promise<T>): Promise<Answer<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (thrown) {
    if (thrown instanceof ThreadholdError) return { ok: false, refusal: thrown.refusal };
    const cause = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    console.error(JSON.stringify({ event: "thread_failed", thread_id: threadId, cause }));
    return { ok: false, refusal: { code: "internal", message: "Something broke inside the server." } };
  }
}
