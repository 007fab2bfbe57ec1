// The errors of APIs. They name the definition and what to do. They contain no address, no header and no body of a response.

import { ThreadholdError } from "#contract/error.ts";
import { errorMessage } from "#lib/cut-text.ts";

/**
 * An error that a model or an operator reads. Its text is the end of a sentence whose beginning, with the name of the definition,
 * `apiError` adds.
 */
export class ApiError extends Error {}

/** The error with a text for the definition `name`. */
export function apiError(name: string, thrown: unknown): ApiError {
  return new ApiError(`The API "${name}" ${thrown instanceof ApiError ? thrown.message : reason(thrown)}`);
}

function reason(thrown: unknown): string {
  if (thrown instanceof ThreadholdError) return `could not be reached: ${thrown.message}`;
  // A function of the definition failed.
  return `could not be called: ${errorMessage(thrown)}`;
}
