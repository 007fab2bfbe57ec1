// Turns the outcome of a call on the object into data for RPC or a response: a refusal becomes data, and a failure is logged and
// hidden from the caller.

import { httpStatus, ThreadholdError } from "#contract/error.ts";
import type { Refusal } from "#contract/error.ts";
import type { Result } from "#core/thread-rpc.ts";
import { causeOf, type Log } from "#lib/log-port.ts";

/** Runs a method of the thread. Never rejects. */
export async function toResult<T>(
  work: () => T | Promise<T>,
  { log, threadId }: { log: Log; threadId: string | null },
): Promise<Result<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (thrown) {
    if (thrown instanceof ThreadholdError) return { ok: false, refusal: thrown.refusal };
    log("error", "thread_failed", { thread_id: threadId, cause: causeOf(thrown) });
    return { ok: false, refusal: { code: "internal", message: "Something broke inside the server." } };
  }
}

/** The response for a refusal, with the body and status of every other route. */
export function refusalResponse(refusal: Refusal): Response {
  const { code, message, details, retry_after_ms } = refusal;
  const body = { error: { code, message, ...(details === undefined ? {} : { details }) } };
  const headers = retry_after_ms === undefined ? {} : { "retry-after": String(Math.ceil(retry_after_ms / 1000)) };
  return Response.json(body, { status: httpStatus(code), headers });
}
