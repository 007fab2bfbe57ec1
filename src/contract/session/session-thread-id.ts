// The id of the thread that a session of some name is, made from the name and its owner. Anybody can compute it, so nobody may
// choose it: ids that clients choose are of version 4, these are of version 8, and an import is held to the name it brings.

import { sha256 } from "#lib/sha256.ts";

/** The id. JSON keeps owner and name apart, and nobody from a user. */
export function sessionThreadId(owner: string | null, name: string): Promise<string> {
  return digestId(owner, name, 8);
}

/** The id that it had before clients could no longer choose it: sessions of that time are there still. */
export function earlierSessionThreadId(owner: string | null, name: string): Promise<string> {
  return digestId(owner, name, 4);
}

/** A UUID of the version, in which 122 bits are of the digest. */
async function digestId(owner: string | null, name: string, version: number): Promise<string> {
  const bytes = (await sha256(JSON.stringify(["session", owner, name]))).slice(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
