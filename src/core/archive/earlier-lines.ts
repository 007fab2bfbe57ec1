// Converts lines of earlier versions of the export format to the current one, before they are validated.

/** Version 1 named a thread's setup `session`. Every other line is the same. */
export function currentLine(line: unknown, version: number): unknown {
  if (version > 1 || !isObject(line) || line["type"] !== "thread" || !isObject(line["thread"])) return line;
  const { session, ...thread } = line["thread"];
  return session === undefined ? line : { ...line, thread: { ...thread, setup: session } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
