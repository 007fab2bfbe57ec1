// The error for input of the wrong form. It lists the wrong fields and what is wrong with each.

import { refuse } from "#contract/error.ts";
import type { ThreadholdError } from "#contract/error.ts";

/** One wrong field. `path` has dots between its parts, and is empty for the input as a whole. */
export interface FieldError {
  path: string;
  message: string;
}

/** Builds `invalid_request` with the fields in its details. */
export function invalidFields(fields: readonly [FieldError, ...FieldError[]]): ThreadholdError {
  const [{ path, message }] = fields;
  const more = fields.length > 1 ? ` (and ${String(fields.length - 1)} more)` : "";
  const text = path === "" ? message : `${path}: ${message}`;
  return refuse("invalid_request", `${text}${more}`, { fields: fields.map((field) => ({ ...field })) });
}

/** Builds `invalid_request` about one field. */
export function invalidField(path: string, message: string): ThreadholdError {
  return invalidFields([{ path, message }]);
}
