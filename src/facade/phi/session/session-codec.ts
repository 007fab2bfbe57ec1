// Sessions as stored bytes: the JSON of a session with the version of its format. Everything that `encodeSession` writes, `decodeSession` reads.

import { parseCounted, ZodBoundError } from "#lib/counted-zod.ts";
import { isObject } from "#lib/json-value.ts";
import { JsonBoundError, parseBoundedJson } from "#lib/untrusted/bounded-json.ts";

import { Session } from "./loop-session.ts";
import type { SessionData } from "./loop-session.ts";
import { SessionError } from "./session-error.ts";
import { sessionSchema } from "./session-schema.ts";

/** The version of the stored form. A file without one has version 1. */
const version = 1;

/** The maximum number of bytes of a stored session. */
const mostSessionBytes = 32 * 1024 * 1024;

const bounds = { values: 1_000_000, depth: 256, keys: 800_000 };

/** Each value of a session is compared with a few schemas. */
const mostComparisons = 6_000_000;

/**
 * Ids are the names of files. `~` is for the ids that a recorder gives to the sessions after a pause. A name that begins with a dot would be hidden,
 * or lead out of the folder.
 */
const idForm = /^[A-Za-z0-9_-][A-Za-z0-9._~-]{0,199}$/;

/** Whether a text can be the id of a stored session. */
export function isSessionId(value: unknown): value is string {
  return typeof value === "string" && idForm.test(value);
}

/** Returns the id. Throws a SessionError for a value that cannot be the name of a file. */
export function checkedSessionId(value: unknown): string {
  if (isSessionId(value)) return value;
  const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : typeof value;
  throw new SessionError(
    "InvalidId",
    `The id ${shown} cannot be that of a stored session. An id has 1 to 200 letters, digits, ".", "_", "~" and "-", and begins with no "." or "~".`,
  );
}

/** Checks the data of a session. Throws a SessionError that names the first wrong value. */
export function readSession(value: unknown, name = "The session"): SessionData {
  if (!isObject(value)) throw new SessionError("InvalidSession", `${name} is no object.`);
  try {
    const read = parseCounted(sessionSchema, value, mostComparisons);
    if (read.success) return value as unknown as SessionData;
    const [issue] = read.error.issues;
    const path = issue?.path.map(String).join(".") ?? "";
    throw new SessionError("InvalidSession", `${name} cannot be read. ${path}: ${issue?.message ?? "Invalid input"}.`);
  } catch (thrown) {
    if (thrown instanceof SessionError) throw thrown;
    if (thrown instanceof ZodBoundError) throw tooLarge(name, "needs too much work to check");
    if (thrown instanceof RangeError) throw tooLarge(name, "is nested too deeply");
    throw thrown;
  }
}

/** The stored bytes of a session. Throws a SessionError for a value that `decodeSession` would refuse. */
export function encodeSession(session: SessionData): Uint8Array {
  const id = checkedSessionId((session as Partial<SessionData> | null)?.session_id);
  const bytes = new TextEncoder().encode(jsonOf(session, id));
  decodeSession(bytes, id);
  return bytes;
}

function jsonOf(session: SessionData, id: string): string {
  try {
    return JSON.stringify(Object.assign({ version }, session, { version }), null, 2);
  } catch (cause) {
    const name = `The session ${JSON.stringify(id)}`;
    if (cause instanceof RangeError) throw tooLarge(name, "is too long or nested too deeply");
    throw new SessionError("InvalidSession", `${name} cannot be written as JSON.`, { cause });
  }
}

/** Reads stored bytes. Throws a SessionError for bytes that are no session, or that are another session than `id`. */
export function decodeSession(bytes: ArrayBuffer | Uint8Array, id: string): Session {
  const name = `The session ${JSON.stringify(id)}`;
  assertSize(bytes.byteLength, id);
  const { version: stored = version, ...data } = parsed(bytes, name);
  if (typeof stored !== "number" || !Number.isSafeInteger(stored) || stored < 1)
    throw new SessionError(
      "InvalidSession",
      `${name} cannot be read. version: has to be a whole number of at least 1.`,
    );
  if (stored > version)
    throw new SessionError(
      "UnsupportedVersion",
      `${name} has version ${stored} of the stored form, and this package reads version ${version}. Update the package.`,
    );
  const read = readSession(data, name);
  if (read.session_id !== id)
    throw new SessionError("InvalidSession", `${name} is stored as the session ${JSON.stringify(read.session_id)}.`);
  return new Session(read);
}

/** Throws a SessionError for more bytes than a stored session may have. */
export function assertSize(bytes: number, id: string): void {
  if (bytes > mostSessionBytes)
    throw tooLarge(`The session ${JSON.stringify(id)}`, `has ${bytes} bytes, and ${mostSessionBytes} are possible`);
}

function parsed(bytes: ArrayBuffer | Uint8Array, name: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseBoundedJson(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes), bounds);
  } catch (cause) {
    if (cause instanceof JsonBoundError) throw tooLarge(name, cause.message);
    throw new SessionError("InvalidSession", `${name} is no JSON text. Restore it from a backup, or delete it.`, {
      cause,
    });
  }
  if (!isObject(value)) throw new SessionError("InvalidSession", `${name} is no object.`);
  return value;
}

function tooLarge(name: string, problem: string): SessionError {
  const advice = "Begin another session, or record no streaming events.";
  return new SessionError("TooLarge", `${name} ${problem}. ${advice}`);
}
