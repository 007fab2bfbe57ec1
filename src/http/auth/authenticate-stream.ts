// Authenticates the request that opens a stream: by header, or by a ticket in the query, because browsers cannot set headers for
// streams. A ticket is valid once, for one path. On the SSE route a used ticket is accepted again together with its pass cookie.

import type { Caller, ThreadRpc } from "#core/rpc/thread-rpc.ts";

import type { Authenticator, Identification } from "./authenticate.ts";
import { passCookie, readPassCookie } from "./pass-cookie.ts";
import type { TicketClaims, Tickets } from "./ticket.ts";

/** A request to open a stream. */
export interface StreamRequest {
  request: Request;
  url: URL;
  /** Returns the object that records the use of this ticket. It must be the same object for every request with the ticket. */
  redeemer: (ticket: TicketClaims) => Pick<ThreadRpc, "redeemTicket">;
  /** Whether the route sets and accepts passes. The SSE route does; the WebSocket route does not. */
  passes: boolean;
}

/** The caller, and the cookie for the response. */
export interface StreamCaller {
  caller: Caller;
  cookie: string | null;
}

/** Dependencies of the check. If `tickets` is null, no ticket is accepted. */
export interface StreamAuthPorts {
  authenticator: Authenticator;
  tickets: Tickets | null;
  now: () => number;
}

/** Returns the caller of a stream. Throws a `ThreadholdError` if there is none. */
export async function authenticateStream(stream: StreamRequest, ports: StreamAuthPorts): Promise<StreamCaller> {
  const { authenticator, tickets, now } = ports;
  const { request, url } = stream;
  const text = url.searchParams.get("ticket");
  if (tickets === null || text === null || authenticator.speaksForItself(request)) {
    return { caller: await authenticator.authenticate(request), cookie: null };
  }
  let used: TicketClaims | null = null;
  const caller = await authenticator.guard(request, async (): Promise<Identification> => {
    const ticket = await tickets.read(text);
    if (ticket === null || ticket.kind !== "ticket") return { ok: false, reason: "wrong" };
    if (ticket.path !== url.pathname) return { ok: false, reason: "spent" };
    const { user, admin, until } = ticket;
    const caller: Caller = { user, admin, ...(until === undefined ? {} : { until }) };
    const identified: Identification = { ok: true, caller };
    if (stream.passes && (await hasPass(stream, ticket, ports))) return identified;
    if (ticket.expires_at <= now()) return { ok: false, reason: "spent" };
    if (!(await stream.redeemer(ticket).redeemTicket(ticket.nonce, ticket.expires_at)))
      return { ok: false, reason: "spent" };
    used = ticket;
    return identified;
  });
  const cookie = used === null || !stream.passes ? null : passCookie(await tickets.follow(used), url);
  return { caller, cookie };
}

async function hasPass(stream: StreamRequest, ticket: TicketClaims, ports: StreamAuthPorts): Promise<boolean> {
  const text = readPassCookie(stream.request);
  const pass = text === null || ports.tickets === null ? null : await ports.tickets.read(text);
  if (pass === null || pass.kind !== "pass") return false;
  return pass.nonce === ticket.nonce && pass.path === ticket.path && pass.expires_at > ports.now();
}
