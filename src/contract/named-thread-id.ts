// Derives the id of a named thread, such as a session, from the name and its owner. Every client can compute it, so no client may choose
// it: ids that clients choose are UUIDs of version 4, these are of version 8, and the id of an imported thread is checked against the
// thread's name.

import { z } from "zod";

import { sha256 } from "#lib/sha256.ts";

/** The names that a thread may have, such as that of a session. A session whose name is the id of a thread is that thread. */
export const threadNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,128}$/, "has to be 1 to 128 of A-Z a-z 0-9 _ . : -");

/** Returns the id. The digest is of JSON, which distinguishes the owner from the name, and a missing owner (null) from every user id. */
export function namedThreadId(owner: string | null, name: string): Promise<string> {
  return digestId(owner, name, 8);
}

/** The id in the form of older versions, whose threads still exist. Clients can choose ids of this form. */
export function earlierNamedThreadId(owner: string | null, name: string): Promise<string> {
  return digestId(owner, name, 4);
}

/** A UUID of the given version. It contains 122 bits of the digest. */
async function digestId(owner: string | null, name: string, version: number): Promise<string> {
  const bytes = (await sha256(JSON.stringify(["session", owner, name]))).slice(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
