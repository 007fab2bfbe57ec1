// Converts the id of a session to the name of its file or folder, and back. Two ids never have the same name, even if the file system
// ignores case. An id of lower-case letters, digits, "-", "_" and inner dots, such as a UUID, is its own name, unless it is the name of a
// device in Windows.

import { refusal } from "../../upp/upp-error.ts";

/** Most file systems allow 255 bytes. Stores add an extension, such as ".json", to some names. */
const maxLength = 240;

/** Names of devices in Windows, also with an extension. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/;

/** Returns the id. Throws INVALID_REQUEST for a value that cannot be the id of a session. */
export function checkedSession(sessionId: string): string {
  if (typeof sessionId !== "string" || sessionId === "" || !sessionId.isWellFormed()) {
    throw refusal("The id of a session has to be a text of at least one character, without unpaired surrogates.");
  }
  return sessionId;
}

/** Returns the name for the id of a session. */
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

/** Returns the id of a session for its name; null for a name that `nameOfSession` does not return. */
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
