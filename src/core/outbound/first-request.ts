// Checks what a caller asks for before anything is looked up or sent: method, headers, bounds, hosts of a definition.

import { readHostPattern } from "#lib/outbound/host-list.ts";
import type { HostPattern } from "#lib/outbound/host-list.ts";
import type { Redirectable } from "#lib/outbound/redirect.ts";

import type { OutboundInit, OutboundLimits } from "../ports/outbound-fetch.ts";
import { outboundError } from "./outbound-error.ts";

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Headers that say how bytes travel. They are the platform's, and a caller that sets one could say where they go. */
const framing = new Set(
  `accept-encoding connection content-length expect host http2-settings keep-alive proxy-authenticate proxy-authorization
  proxy-connection te trailer transfer-encoding upgrade`.split(/\s+/),
);

const nullBodyMethods = new Set(["GET", "HEAD"]);

/** The request, apart from where it goes. Refuses methods and headers that make no sense. */
export function firstRequest(init: OutboundInit): Omit<Redirectable, "url"> {
  const method = (init.method ?? "GET").toUpperCase();
  if (!methods.has(method))
    throw outboundError("bad_request", null, `its method is none of ${[...methods].join(", ")}`);
  const body = init.body ?? null;
  if (body !== null && nullBodyMethods.has(method)) {
    throw outboundError("bad_request", null, `${method} carries no body`);
  }
  const headers = readHeaders(init.headers);
  const framed = [...headers.keys()].find((name) => framing.has(name));
  if (framed !== undefined) throw outboundError("bad_request", null, `the header ${framed} is not for callers to set`);
  return { method, headers, body };
}

/** The platform lets some of what HTTP forbids pass, an empty name for one. */
const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const headerValue = /^[\t\x20-\x7e\x80-\uffff]*$/;

function readHeaders(given: HeadersInit | undefined): Headers {
  const headers = parsedHeaders(given);
  const sound =
    headers !== null && [...headers].every(([name, value]) => headerName.test(name) && headerValue.test(value));
  if (!sound) throw outboundError("bad_request", null, "a header's name or value holds what headers cannot hold");
  return headers;
}

/** The platform's words for what is wrong would repeat the value, which may be a secret. */
function parsedHeaders(given: HeadersInit | undefined): Headers | null {
  try {
    return new Headers(given);
  } catch {
    return null;
  }
}

/** The bounds of a call over those of the deployment. */
export function callLimits(standard: OutboundLimits, given: Partial<OutboundLimits> | undefined): OutboundLimits {
  const limits = { ...standard, ...given };
  // NaN would compare as no bound at all.
  const bad = Object.entries(limits).find(([, value]) => !(value >= 0));
  if (bad !== undefined) throw outboundError("bad_request", null, `the limit ${bad[0]} is no number from 0 on`);
  return limits;
}

/** The hosts of the deployment and of the definition. */
export function listedHosts(
  standard: readonly HostPattern[],
  given: readonly string[] | undefined,
): readonly HostPattern[] {
  const own = (given ?? []).map((text) => {
    const pattern = readHostPattern(text);
    if (pattern === null) {
      throw outboundError("bad_request", null, "an allowed host is not written as host, host:port or *.suffix");
    }
    return pattern;
  });
  return own.length === 0 ? standard : [...standard, ...own];
}
