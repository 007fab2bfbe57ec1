// Authentication by a function of the Worker, in place of the tokens of the variables.

import { ThreadholdError } from "#contract/error.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

/** Who sends a request. */
export interface Identity {
  /** The user's id, at most 256 characters. Null only for an administrator. */
  user: string | null;
  /** An administrator may access the threads of all users. */
  role: "admin" | "user";
}

/** Returns the identity of a request; null if it has no valid credentials. */
export type Authenticate = (request: Request) => Identity | null | Promise<Identity | null>;

const longestUser = 256;

/** The caller of an identity; null without one. Throws for a value that is no identity, so that a mistake gives access to nothing. */
export function callerOf(identity: Identity | null): Caller | null {
  if (identity === null) return null;
  const { user, role } = identity;
  const isUser = typeof user === "string" && user.trim() !== "" && user.length <= longestUser;
  if (role === "admin" && (user === null || isUser)) return { user, admin: true };
  if (role === "user" && isUser) return { user, admin: false };
  throw new ThreadholdError({
    code: "internal",
    message:
      'The function authenticate has to return null or { user, role }, with the role "admin" or "user" and the id of a user.',
  });
}
