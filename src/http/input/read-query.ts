// Converts a query string to an object that a schema can validate.

import { invalidField } from "./field-error.ts";

/** Returns the fields. Throws `invalid_request` for a repeated name and for `__proto__`. */
export function readQuery(parameters: URLSearchParams): Record<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (fields.has(name)) throw invalidField(name, "Given more than once");
    if (name === "__proto__") throw invalidField(name, "Not a name a field can have");
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}
