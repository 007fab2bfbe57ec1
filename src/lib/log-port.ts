// The log for operators: one line of JSON for each event, with its level. Every part of the server writes through this port.

import { redactedTexts } from "./redacted-texts.ts";

/** `error`: something failed. `warning`: something is missing or was dropped, and the server continues as designed. */
export type LogLevel = "info" | "warning" | "error";

/** Writes one line. `event` names what happened; a field must not hold content of a conversation or a secret. */
export type Log = (level: LogLevel, event: string, fields?: Readonly<Record<string, unknown>>) => void;

/** A log whose lines go to `write`. */
export function createLog(write: (line: string, level: LogLevel) => void): Log {
  return (level, event, fields = {}) => write(JSON.stringify({ level, event, ...fields }), level);
}

/** The log of a deployment: the platform's console. */
export const consoleLog: Log = createLog((line, level) => {
  if (level === "error") console.error(line);
  else if (level === "warning") console.warn(line);
  else console.log(line);
});

/** The text of a thrown value for a line: the stack of an error, or of the failure that it wraps. */
export function causeOf(thrown: unknown): string {
  const failure = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  return failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
}

/** A log without secrets: `redact` is applied to each text of a line's fields. */
export function redactedLog(log: Log, redact: (text: string) => string): Log {
  return (level, event, fields = {}) => {
    const clean = Object.entries(fields).map(([name, value]) => [name, redactedTexts(value, redact)]);
    log(level, event, Object.fromEntries(clean) as Readonly<Record<string, unknown>>);
  };
}
