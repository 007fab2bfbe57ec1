// Who opens a stream: by header like everyone, or by a ticket in the query where a browser can set no header. A ticket is
// good for the path it was made for, once. On the SSE route a used ticket is good again together with its own pass.

import type { Caller, ThreadRpc } from "#core/thread-rpc.ts";

import type { Authenticator, Identification } from "./authenticate.ts";
import { passCookie, readPassCookie } from "./pass-cookie.ts";
import type { TicketClaims, Tickets } from "./ticket.ts";

/** A request to open a stream. */
export interface StreamRequest {
  request: Request;
  url: URL;
  /** Fresh stub of the object that remembers whether this ticket was used: the same one whatever else the request says. */
  redeemer: (ticket: TicketClaims) => Pick<ThreadRpc, "redeemTicket">;
  /** The SSE route gives and takes passes; a socket's route does not. */
  passes: boolean;
}

/** Who opens it, and the cookie to set with the answer. */
export interface StreamCaller {
  caller: Caller;
  cookie: string | null;
}

/** What the check is built from. Without `tickets` none are accepted. */
export interface StreamAuthPorts {
  authenticator: Authenticator;
  tickets: Tickets | null;
  now: () => number;
}

/** Identifies the caller of a stream. Throws a `ThreadholdError` to refuse. */
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
