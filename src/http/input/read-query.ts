// A query string as an object a schema can check.

import { invalidField } from "./field-error.ts";

/** The query's fields. Throws `invalid_request` for one that is given twice or cannot be a field. */
export function readQuery(parameters: URLSearchParams): Record<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of parameters) {
    if (fields.has(name)) throw invalidField(name, "Given more than once");
    if (name === "__proto__") throw invalidField(name, "Not a name a field can have");
    fields.set(name, value);
  }
  return Object.fromEntries(fields);
}
