// API tokens from the variable API_TOKENS. A presented token is hashed and compared with every configured hash, so that the time
// of a response reveals neither the token's length nor its position in the list.

import type { Caller } from "#core/rpc/thread-rpc.ts";
import { sha256 } from "#lib/sha256.ts";

/** One configured token and the caller that it identifies. */
export interface ApiToken {
  secret: string;
  caller: Caller;
}

/**
 * Parses the list: entries `secret` (an administrator) or `secret=user_id` (that user), separated by commas. The last `=` is the
 * separator. So the secret of a user may contain `=`; a user id and the secret of an administrator may not. Returns an error message for
 * an invalid entry.
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

/** Returns the caller of a token; null for an unknown token. */
export type TokenLookup = (token: string) => Promise<Caller | null>;

/** Creates a lookup over the list. The hashes are computed at the first call. */
export function createTokenLookup(tokens: readonly ApiToken[]): TokenLookup {
  let hashes: readonly { hash: Uint8Array; caller: Caller }[] | undefined;
  return async (token) => {
    // Stores the hashes, not their promise: a promise may never settle after the request that created it has ended.
    hashes ??= await Promise.all(tokens.map(async ({ secret, caller }) => ({ hash: await sha256(secret), caller })));
    const presented = await sha256(token);
    let found: Caller | null = null;
    for (const { hash, caller } of hashes) {
      if (equalInConstantTime(hash, presented)) found = caller;
    }
    return found;
  };
}

/** Whether two byte strings are equal. The time depends on the length of `expected` only, and not on the number of equal bytes. */
function equalInConstantTime(expected: Uint8Array, given: Uint8Array): boolean {
  let difference = expected.length ^ given.length;
  for (let index = 0; index < expected.length; index++) {
    difference |= (expected[index] ?? 0) ^ (given[index] ?? 0);
  }
  return difference === 0;
}
