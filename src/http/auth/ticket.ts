// Tickets open one stream without a header (contract, "Auth"): signed, bound to a path and a caller, 30 seconds long. The
// thread's object sees to it that each is used once. Its first use by an EventSource is followed by a pass, kept in a
// path-bound cookie, because an EventSource reconnects to the very URL whose ticket is used up by then.

import { v4 as randomId } from "uuid";
import { z } from "zod";

import type { Caller } from "#core/thread-rpc.ts";
import { fromBase64Url, toBase64Url } from "#lib/base64-url.ts";
import { sha256 } from "#lib/sha256.ts";

const claimsSchema = z.strictObject({
  kind: z.enum(["ticket", "pass"]),
  path: z.string(),
  user: z.string().nullable(),
  admin: z.boolean(),
  nonce: z.string(),
  /** Microseconds since epoch. */
  expires_at: z.number().int(),
  /** Expiry of the credentials that the ticket was made with. The stream ends then, and no pass is valid longer. */
  until: z.number().int().optional(),
});

/** What a ticket or a pass says. A pass carries the nonce of the ticket it follows. */
export type TicketClaims = z.infer<typeof claimsSchema>;

/** Microseconds a ticket is good for. */
const ticketMicros = 30_000_000;

/** Microseconds a pass is good for: then the page asks for another ticket. */
export const passMicros = 12 * 3_600_000_000;

/** Signs and reads tickets. */
export interface Tickets {
  issue(path: string, caller: Caller): Promise<{ ticket: string; expires_at: number }>;
  /** The pass that follows a ticket. */
  follow(ticket: TicketClaims): Promise<string>;
  /** The claims where the signature is ours, whatever their path and time; else null. */
  read(text: string): Promise<TicketClaims | null>;
}

/** Tickets signed with a key made from `secret`, which is asked for at first use. `now` is microseconds. */
export function createTickets(secret: () => string, now: () => number): Tickets {
  // The key is kept, not its promise: a promise may never settle after the request that made it has ended.
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
      return claimsSchema.parse(JSON.parse(new TextDecoder().decode(payload)));
    },
  };
}

async function importKey(secret: string): Promise<CryptoKey> {
  const bytes = await sha256(`threadhold ticket\n${secret}`);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}
