// Decides which user a request acts for: users act for themselves, administrators may name a user.

import { refuse } from "#contract/error.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

/** The owner of what the caller creates: the caller, or the user that an administrator names. Null: no owner. */
export function ownerOf(caller: Caller, wanted: string | null | undefined): string | null {
  if (wanted === undefined) return caller.user;
  if (caller.admin || wanted === caller.user) return wanted;
  throw refuse("forbidden", "Only an administrator may name another user.", { field: "user_id" });
}

/** Whose records a caller sees: a user's own, or those that an administrator asked for. Null: those of all users. */
export function scopeOf(caller: Caller, wanted: string | undefined): string | null {
  if (caller.admin) return wanted ?? null;
  const owner = ownerOf(caller, wanted);
  if (owner === null) throw refuse("forbidden", "Only an administrator is shown everybody's.");
  return owner;
}
