// Removes secrets from the texts of a JSON value. Names of fields, numbers and everything else stay, so the form of the value never changes.

/** A copy of a value whose texts are without secrets; the value itself if it is neither a text nor an object. */
export function redactedTexts(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactedTexts(item, redact));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactedTexts(item, redact)]));
}

/** The thrown value without secrets in its message and its stack; the value itself if it has none. */
export function redactedError(thrown: unknown, redact: (text: string) => string): unknown {
  try {
    const name = thrown instanceof Error ? thrown.name : "Error";
    const stack = thrown instanceof Error && typeof thrown.stack === "string" ? thrown.stack : "";
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    if (typeof message !== "string") return thrown;
    const [cleanMessage, cleanStack] = [redact(message), redact(stack)];
    if (cleanMessage === message && cleanStack === stack) return thrown;
    return Object.assign(new Error(cleanMessage), { name, stack: cleanStack });
  } catch {
    // A value that cannot be read as a text cannot be shown either.
    return thrown;
  }
}
