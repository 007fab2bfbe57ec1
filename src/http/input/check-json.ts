// Refuses JSON that no schema should have to survive: lone surrogates, which no UTF-8 can hold, keys that would reach for
// a prototype, and nesting deep enough to end the stack of whoever walks it.

import { invalidField } from "./field-error.ts";

const depthLimit = 64;

/** Throws `invalid_request` for such a value. Walks without recursion. */
export function checkJson(value: unknown): void {
  const waiting: { value: unknown; path: readonly string[] }[] = [{ value, path: [] }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value: current, path } = next;
    if (typeof current === "string") checkText(current, path);
    if (typeof current !== "object" || current === null) continue;
    if (path.length >= depthLimit) throw invalidField(path.slice(0, 3).join("."), "Nested too deeply");
    for (const [key, inner] of Object.entries(current)) {
      checkText(key, path);
      if (key === "__proto__") throw invalidField([...path, key].join("."), "Not a name a field can have");
      if (typeof inner === "string" || typeof inner === "object") {
        waiting.push({ value: inner, path: [...path, key] });
      }
    }
  }
}

function checkText(text: string, path: readonly string[]): void {
  if (!text.isWellFormed())
    throw invalidField(path.join("."), "Holds half of a surrogate pair, which is no Unicode text");
}
