// Refusals about one of a message's files: each names the field it stood in.

import { ThreadholdError, refuse } from "#contract/error.ts";

/** `invalid_request` about a file; `problem` goes on after the field. */
export function fileRefusal(field: string, problem: string): ThreadholdError {
  return refuse("invalid_request", `${field}: ${problem}`, { fields: [{ path: field, message: problem }] });
}

/** Does the work; what it is refused with names the field from here on. */
export async function withField<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof ThreadholdError) || thrown.code === "thread_not_found") throw thrown;
    const { refusal, message } = thrown;
    if (message.startsWith(`${field}: `)) throw thrown;
    const details = { ...refusal.details, fields: [{ path: field, message }] };
    throw new ThreadholdError({ ...refusal, message: `${field}: ${message}`, details }, { cause: thrown });
  }
}
