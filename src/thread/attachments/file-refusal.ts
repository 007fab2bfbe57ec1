// Refusals about the files of a message. Each one names the field of the file.

import { ThreadholdError, refuse } from "#contract/error.ts";

/** Makes an `invalid_request` refusal about a file. `problem` is the text after the field's name. */
export function fileRefusal(field: string, problem: string): ThreadholdError {
  return refuse("invalid_request", `${field}: ${problem}`, { fields: [{ path: field, message: problem }] });
}

/** Runs `work`. If it throws a refusal, adds the field's name to the refusal. */
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
