// The base of the tests of outbound requests: a guarded fetch over real HTTP to a server on this machine, to which every public host of
// these tests leads. The resolver is the real one and sends its queries to that server.

import { inject } from "vitest";

import { ThreadholdError } from "#contract/error.ts";
import { createDnsOverHttps } from "#core/outbound/dns-over-https.ts";
import type { Transport } from "#core/outbound/exchange.ts";
import { createGuardedFetch, defaultOutboundLimits } from "#core/outbound/guarded-fetch.ts";
import type { OutboundFetch, OutboundLimits, OutboundReason } from "#core/ports/outbound-fetch.ts";
import type { Resolver } from "#core/ports/resolver.ts";
import { createRequestQueue } from "#lib/bounded-fetch.ts";
import { readHostList } from "#lib/outbound/host-list.ts";
import { systemClock } from "#lib/system-clock.ts";

export const server = (): string => inject("outboundServer");
export const serverHost = (): string => new URL(server()).host;

/** A name for a request, by which the test finds it at the server afterwards. */
export const newId = (): string => crypto.randomUUID();

/** The server's record of a request. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

async function askServer<T>(path: string, id: string): Promise<T> {
  const response = await fetch(`${server()}${path}?id=${id}`);
  return response.json<T>();
}

/** All requests that reached the server under this name. */
export const requested = (id: string): Promise<ReceivedRequest[]> => askServer("/__asked", id);
/** Waits until a request under this name has reached the server. */
export const arrived = (id: string): Promise<unknown> => askServer("/__arrived", id);
/** Waits until the response under this name has ended at the server, and returns whether all of it was sent. */
export const closed = (id: string): Promise<{ complete: boolean }> => askServer("/__closed", id);
/** Has the server send one more piece of the answer under this name. */
export const sendPiece = (id: string): Promise<unknown> => askServer("/__piece", id);

/** The network of a test: requests to every host other than this machine reach the server of the test. */
export interface Network {
  fetch: Transport["fetch"];
  /** URLs in the order in which they were requested. */
  sent: string[];
}

export function network(): Network {
  const sent: string[] = [];
  return {
    sent,
    fetch: (text, init) => {
      const url = new URL(text);
      const elsewhere = url.hostname !== "127.0.0.1";
      if (elsewhere || !url.pathname.startsWith("/dns-query")) sent.push(text);
      return fetch(elsewhere ? `${server()}${url.pathname}${url.search}` : text, init);
    },
  };
}

export interface GuardOptions extends Partial<Transport> {
  /** The value of ALLOWED_OUTBOUND_HOSTS. */
  allowed?: string;
  limits?: Partial<OutboundLimits>;
  resolver?: Resolver;
  /** Names the queries of the resolver. */
  dnsId?: string;
}

/** Creates the guarded fetch of a test. */
export function way(options: Partial<Transport> = {}): Transport {
  return { fetch: (...call) => fetch(...call), inTurn: createRequestQueue(5), clock: systemClock, ...options };
}

/** A resolver that sends its queries to the server. */
export function resolverAt(path = "/dns-query", options: Partial<Transport> = {}): Resolver {
  return createDnsOverHttps(way(options), new URL(path, server()));
}

export function guard(options: GuardOptions = {}): { guarded: OutboundFetch; sent: string[] } {
  const { fetch: ownFetch, allowed = "", limits, resolver, dnsId = "", ...rest } = options;
  const net = network();
  const parts = way({ fetch: ownFetch ?? net.fetch, ...rest });
  const guarded = createGuardedFetch({
    ...parts,
    resolver: resolver ?? createDnsOverHttps(parts, new URL(`/dns-query?id=${dnsId}`, server())),
    allowedHosts: readHostList(allowed) ?? [],
    limits: { ...defaultOutboundLimits, ...limits },
  });
  return { guarded, sent: net.sent };
}

/** The error with which a call was refused or failed. */
export interface Refused {
  reason: OutboundReason;
  host: string | null;
  code: string;
  message: string;
}

/** The error of a call that must not succeed. */
export async function refused(call: Promise<unknown>): Promise<Refused> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ThreadholdError)) throw error;
    const { reason, host } = error.refusal.details as { reason: OutboundReason; host?: string };
    return { reason, host: host ?? null, code: error.code, message: error.message };
  }
  throw new Error("the call was not refused");
}
