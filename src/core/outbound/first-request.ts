// Validates the arguments of an outbound call before a name is resolved or a request is sent: method, headers, limits and hosts.

import { readHostPattern } from "#lib/outbound/host-list.ts";
import type { HostPattern } from "#lib/outbound/host-list.ts";
import type { Redirectable } from "#lib/outbound/redirect.ts";

import type { OutboundInit, OutboundLimits } from "../ports/outbound-fetch.ts";
import { outboundError } from "./outbound-error.ts";

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Headers for framing and routing, which only the platform may set. With some of them a caller could send the request to another host. */
const framingHeaders = new Set(
  `accept-encoding connection content-length expect host http2-settings keep-alive proxy-authenticate proxy-authorization
  proxy-connection te trailer transfer-encoding upgrade`.split(/\s+/),
);

const nullBodyMethods = new Set(["GET", "HEAD"]);

/** The request without its URL. Throws for methods and headers that are not allowed. */
export function firstRequest(init: OutboundInit): Omit<Redirectable, "url"> {
  const method = (init.method ?? "GET").toUpperCase();
  if (!methods.has(method))
    throw outboundError("bad_request", null, `its method is none of ${[...methods].join(", ")}`);
  const body = init.body ?? null;
  if (body !== null && nullBodyMethods.has(method)) {
    throw outboundError("bad_request", null, `${method} carries no body`);
  }
  const headers = readHeaders(init.headers);
  const framed = [...headers.keys()].find((name) => framingHeaders.has(name));
  if (framed !== undefined) throw outboundError("bad_request", null, `the header ${framed} is not for callers to set`);
  return { method, headers, body };
}

/** The platform accepts some names that HTTP forbids, such as an empty one. */
const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const headerValue = /^[\t\x20-\x7e\x80-\uffff]*$/;

function readHeaders(given: RequestInit["headers"] | undefined): Headers {
  const headers = parsedHeaders(given);
  const isValid =
    headers !== null && [...headers].every(([name, value]) => headerName.test(name) && headerValue.test(value));
  if (!isValid) throw outboundError("bad_request", null, "a header's name or value holds what headers cannot hold");
  return headers;
}

/** Parses the headers. The platform's error is dropped, since its text contains the value, which may be secret. */
function parsedHeaders(given: RequestInit["headers"] | undefined): Headers | null {
  try {
    return new Headers(given);
  } catch {
    return null;
  }
}

/** The limits of a call: the caller's, else the deployment's. */
export function callLimits(standard: OutboundLimits, given: Partial<OutboundLimits> | undefined): OutboundLimits {
  const limits = { ...standard, ...given };
  // The negated comparison refuses NaN as well, which would act as no limit.
  const bad = Object.entries(limits).find(([, value]) => !(value >= 0));
  if (bad !== undefined) throw outboundError("bad_request", null, `the limit ${bad[0]} is no number from 0 on`);
  return limits;
}

/** The allowed internal hosts: the deployment's and the definition's. */
export function listedHosts(
  standard: readonly HostPattern[],
  given: readonly string[] | undefined,
): readonly HostPattern[] {
  const listed = (given ?? []).map((text) => {
    const pattern = readHostPattern(text);
    if (pattern === null) {
      throw outboundError("bad_request", null, "an allowed host is not written as host, host:port or *.suffix");
    }
    return pattern;
  });
  return listed.length === 0 ? standard : [...standard, ...listed];
}
