// The outcome of a method as it crosses the RPC border: refusals are data, and what breaks is logged and shown to no caller.

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
