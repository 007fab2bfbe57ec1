// The names of files and folders for sessions. Any id is possible, and two ids never have the same name, also where a file system
// ignores upper and lower case. An id of lower-case letters, digits, "-", "_" and inner dots, such as a UUID, is its own name.

import { refusal } from "../../upp/upp-error.ts";

/** Usual file systems permit 255 bytes. An ending such as ".json" is added to some names. */
const maxLength = 240;

/** Names that Windows gives to devices, also with an ending. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/;

/** The id, if it can be that of a session. */
export function checkedSession(sessionId: string): string {
  if (typeof sessionId !== "string" || sessionId === "" || !sessionId.isWellFormed()) {
    throw refusal("The id of a session has to be a text of at least one character, without halves of characters.");
  }
  return sessionId;
}

/** The name for a session. */
export function nameOfSession(sessionId: string): string {
  const name = checkedSession(sessionId)
    .replace(/[^a-z\d._-]/gu, encoded)
    .replace(/^\.|\.$/g, encoded)
    .replace(deviceName, (device) => encoded(device.slice(0, 1)) + device.slice(1));
  if (name.length <= maxLength) return name;
  throw refusal(
    `The id of the session ${JSON.stringify(`${sessionId.slice(0, 40)}…`)} is too long. As the name of a file it has ${name.length} ` +
      `characters, and ${maxLength} are possible. Use a shorter id, such as a hash of it.`,
  );
}

/** The session of a name; null if the name is none that `nameOfSession` gives. */
export function sessionOfName(name: string): string | null {
  try {
    const sessionId = decodeURIComponent(name);
    return nameOfSession(sessionId) === name ? sessionId : null;
  } catch {
    return null;
  }
}

function encoded(character: string): string {
  return Array.from(new TextEncoder().encode(character), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");
}
