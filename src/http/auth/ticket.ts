// Tickets: signed values that open one stream without a header (contract, "Auth"). A ticket is valid for one path and caller, for 30
// seconds; the object that serves the stream ensures that it is used once. An EventSource reconnects to the same URL, whose ticket is used
// by then. Therefore its first response sets a pass, a signed value with a longer lifetime, in a cookie for that path.

import { v4 as randomId } from "uuid";
import { z } from "zod";

import type { Caller } from "#core/rpc/thread-rpc.ts";
import { sha256 } from "#lib/sha256.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

const claimsSchema = z.strictObject({
  kind: z.enum(["ticket", "pass"]),
  path: z.string(),
  user: z.string().nullable(),
  admin: z.boolean(),
  nonce: z.string(),
  /** Microseconds since the epoch. */
  expires_at: z.number().int(),
  /** Expiry of the credentials that requested the ticket. The stream ends then, and no pass is valid longer. */
  until: z.number().int().optional(),
});

/** The content of a ticket or pass. A pass has the nonce of its ticket. */
export type TicketClaims = z.infer<typeof claimsSchema>;

/** Microseconds for which a ticket is valid. */
const ticketMicros = 30_000_000;

/** Microseconds for which a pass is valid; then the page requests another ticket. */
export const passMicros = 12 * 3_600_000_000;

/** Signs and verifies tickets. */
export interface Tickets {
  issue(path: string, caller: Caller): Promise<{ ticket: string; expires_at: number }>;
  /** Returns the pass for a used ticket. */
  follow(ticket: TicketClaims): Promise<string>;
  /** Returns the claims if the signature is valid; path and expiry are not checked. Null otherwise. */
  read(text: string): Promise<TicketClaims | null>;
}

/** Creates tickets. The key is derived from `secret`, which is called at first use. `now` returns microseconds. */
export function createTickets(secret: () => string, now: () => number): Tickets {
  // Stores the key, not its promise: a promise may never settle after the request that created it has ended.
  let imported: CryptoKey | undefined;
  let material: string | undefined;
  const key = async (): Promise<CryptoKey> => {
    material ??= secret();
    imported ??= await importKey(material);
    return imported;
  };
  const sign = async (claims: TicketClaims): Promise<string> => {
    const payload = new TextEncoder().encode(JSON.stringify(claims));
    const signature = await crypto.subtle.sign("HMAC", await key(), payload);
    return `${toBase64Url(payload)}.${toBase64Url(new Uint8Array(signature))}`;
  };
  return {
    async issue(path, { user, admin, until }) {
      const expires_at = Math.min(now() + ticketMicros, until ?? Number.POSITIVE_INFINITY);
      const ends = until === undefined ? {} : { until };
      const ticket = await sign({ kind: "ticket", path, user, admin, nonce: randomId(), expires_at, ...ends });
      return { ticket, expires_at };
    },
    follow: (ticket) =>
      sign({
        ...ticket,
        kind: "pass",
        expires_at: Math.min(now() + passMicros, ticket.until ?? Number.POSITIVE_INFINITY),
      }),
    async read(text) {
      const [payload, signature, ...rest] = text.split(".").map(fromBase64Url);
      if (!payload || !signature || rest.length > 0) return null;
      const genuine = await crypto.subtle.verify("HMAC", await key(), signature, payload);
      if (!genuine) return null;
      return claimsSchema.parse(parseOwnJson(new TextDecoder().decode(payload)));
    },
  };
}

async function importKey(secret: string): Promise<CryptoKey> {
  const bytes = await sha256(`threadhold ticket\n${secret}`);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

/** Encodes bytes in base64 with the URL alphabet, without padding. */
function toBase64Url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "");
}

/** Decodes a text; null if it is not base64url. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return null;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
