// Whose: what is a user's own, and what an administrator may choose.

import { refuse } from "#contract/error.ts";
import type { Caller } from "#core/thread-rpc.ts";

/** Who owns what the caller makes: a user, the user that an administrator names, or nobody. */
export function ownerOf(caller: Caller, wanted: string | null | undefined): string | null {
  if (wanted === undefined) return caller.user;
  if (caller.admin || wanted === caller.user) return wanted;
  throw refuse("forbidden", "Only an administrator may name another user.", { field: "user_id" });
}

/** Whose records a caller is shown: a user's own, those an administrator asked for; null for everybody's. */
export function scopeOf(caller: Caller, wanted: string | undefined): string | null {
  if (caller.admin) return wanted ?? null;
  const owner = ownerOf(caller, wanted);
  if (owner === null) throw refuse("forbidden", "Only an administrator is shown everybody's.");
  return owner;
}
