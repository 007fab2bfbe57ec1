// The list of bearer tokens. A presented token is hashed and held against every hash, so that neither its length nor
// its place in the list shows in the time an answer takes.

import type { Caller } from "#core/thread-rpc.ts";
import { equalInConstantTime } from "#lib/constant-time.ts";
import { sha256 } from "#lib/sha256.ts";

/** One configured token. */
export interface ApiToken {
  secret: string;
  caller: Caller;
}

/**
 * Reads `secret` (an administrator) and `secret=user_id` (that user), separated by commas. The last `=` divides, so a
 * secret may hold one but a user id may not. Gives the reason, as text, where an entry makes no sense.
 */
export function parseApiTokens(list: string): ApiToken[] | string {
  const tokens: ApiToken[] = [];
  for (const [index, entry] of list.split(",").entries()) {
    const text = entry.trim();
    const divider = text.lastIndexOf("=");
    const secret = (divider === -1 ? text : text.slice(0, divider)).trim();
    const user = divider === -1 ? null : text.slice(divider + 1).trim();
    const place = `Entry ${String(index + 1)} of API_TOKENS`;
    if (secret === "") return `${place} has an empty secret.`;
    if (user === "") return `${place} ends in "=" without a user id.`;
    if (tokens.some((known) => known.secret === secret)) return `${place} repeats a secret.`;
    tokens.push({ secret, caller: { user, admin: user === null } });
  }
  return tokens;
}

/** Finds whose token this is; null for nobody's. */
export type TokenLookup = (token: string) => Promise<Caller | null>;

/** A lookup over the list; hashes are made once, when first needed. */
export function createTokenLookup(tokens: readonly ApiToken[]): TokenLookup {
  let hashes: readonly { hash: Uint8Array; caller: Caller }[] | undefined;
  return async (token) => {
    // The hashes are kept, not their promise: a promise may never settle after the request that made it has ended.
    hashes ??= await Promise.all(tokens.map(async ({ secret, caller }) => ({ hash: await sha256(secret), caller })));
    const presented = await sha256(token);
    let found: Caller | null = null;
    for (const { hash, caller } of hashes) {
      if (equalInConstantTime(hash, presented)) found = caller;
    }
    return found;
  };
}
