// Fetches URLs that users, models or definitions chose. Before each request, redirects included, the URL is checked, its host name is
// resolved and every address is checked; the response is bounded in bytes and time. Invariant: a request uses exactly the URL that was
// checked.

import { addressKind } from "#lib/outbound/address-kind.ts";
import type { HostPattern } from "#lib/outbound/host-list.ts";
import { redirected, redirectLocation } from "#lib/outbound/redirect.ts";
import type { Redirectable } from "#lib/outbound/redirect.ts";
import { maxUrlLength, readTarget } from "#lib/outbound/target.ts";
import type { Target } from "#lib/outbound/target.ts";

import type { OutboundFetch, OutboundLimits } from "../ports/outbound-fetch.ts";
import type { Resolver } from "../ports/resolver.ts";
import { boundedBody } from "./bounded-body.ts";
import { Exchange } from "./exchange.ts";
import type { Transport } from "./exchange.ts";
import { callLimits, firstRequest, listedHosts } from "./first-request.ts";
import { outboundError } from "./outbound-error.ts";

/** The limits of a call that does not name any. */
export const defaultOutboundLimits: OutboundLimits = {
  bytes: 8 * 1024 * 1024,
  headersMs: 15_000,
  idleMs: 15_000,
  totalMs: 60_000,
  redirects: 5,
};

/** The dependencies of a guarded fetch. */
export interface GuardedFetchParts extends Transport {
  resolver: Resolver;
  /** Hosts inside the deployment's network that may be requested. */
  allowedHosts: readonly HostPattern[];
  limits: OutboundLimits;
}

/** Creates the fetch. `OutboundFetch` describes its contract. */
export function createGuardedFetch(parts: GuardedFetchParts): OutboundFetch {
  return async (input, init = {}) => {
    const exchange = new Exchange(parts, init.signal);
    try {
      exchange.signal.throwIfAborted();
      const call: Call = {
        exchange,
        resolver: parts.resolver,
        limits: callLimits(parts.limits, init.limits),
        listed: listedHosts(parts.allowedHosts, init.allowedHosts),
        redirect: readMode(init.redirect),
      };
      const text = String(input);
      const url = text.length > maxUrlLength ? null : URL.parse(text);
      if (url === null) throw outboundError("malformed", null);
      return await follow(call, { url, ...firstRequest(init) });
    } catch (error) {
      exchange.end();
      throw error;
    }
  };
}

type RedirectMode = "follow" | "manual" | "error";

interface Call {
  exchange: Exchange;
  resolver: Resolver;
  limits: OutboundLimits;
  listed: readonly HostPattern[];
  redirect: RedirectMode;
}

function readMode(given: string | undefined): RedirectMode {
  if (given === undefined || given === "follow") return "follow";
  if (given === "manual" || given === "error") return given;
  throw outboundError("bad_request", null, "redirect is none of follow, manual, error");
}

async function follow(call: Call, first: Redirectable): Promise<Response> {
  let request = first;
  call.exchange.limitFromDispatch(call.limits.totalMs, () => outboundError("too_slow", request.url.host));
  for (let followed = 0; ; followed += 1) {
    const target = checkTarget(request.url, call.listed);
    await checkAddresses(call, target);
    const response = await send(call, target, request);
    const location = redirectLocation(response);
    if (location === null || call.redirect === "manual") return boundedResponse(call, target, response);

    // The body of a redirect is not used, so a failure to cancel it has no consequence.
    response.body?.cancel().catch(() => undefined);
    if (call.redirect === "error" || followed >= call.limits.redirects) throw outboundError("redirects", target.label);
    const url = URL.parse(location, target.url.href);
    if (url === null) throw outboundError("bad_answer", target.label);
    const next = redirected({ ...request, url: target.url }, response.status, url);
    if (!next.ok) throw outboundError(next.problem, target.label);
    request = next.request;
  }
}

function checkTarget(url: URL, listed: readonly HostPattern[]): Target {
  const answer = readTarget(url, listed);
  if (!answer.ok) throw outboundError(answer.problem, answer.label);
  return answer.target;
}

/** Resolves a host name. Every address has to be public, because the platform may connect to any of them. */
async function checkAddresses({ exchange, resolver }: Call, { lookUp, label }: Target): Promise<void> {
  if (lookUp === null) return;
  const resolution = await resolver.resolve(lookUp, exchange.signal);
  exchange.signal.throwIfAborted();
  if (!resolution.ok) throw outboundError("lookup_failed", label);
  if (resolution.addresses.length === 0) throw outboundError("unknown_host", label);
  if (!resolution.addresses.every((address) => addressKind(address) === "public")) throw outboundError("inside", label);
}

function send({ exchange, limits }: Call, target: Target, request: Redirectable): Promise<Response> {
  const { method, headers, body } = request;
  return exchange.send(
    target.url,
    { method, headers, body },
    {
      headersMs: limits.headersMs,
      slowHeaders: () => outboundError("slow_headers", target.label),
      broken: () => outboundError("connection", target.label),
    },
  );
}

/** Content encodings that the platform decodes, which makes the body longer than `content-length`. */
const decoded = new Set(["gzip", "br"]);

function boundedResponse({ exchange, limits }: Call, { label, url }: Target, response: Response): Response {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  const body: ReadableStream<Uint8Array> | null = response.body;
  const discard = (): void => void body?.cancel().catch(() => undefined);
  // 101 switches the protocol, and `Response` accepts no other status outside of this range.
  if (status < 200 || status > 599) {
    discard();
    throw outboundError("bad_answer", label);
  }
  if (body === null || status === 204 || status === 205 || status === 304) {
    discard();
    exchange.end();
    return withUrl(new Response(null, { status, statusText, headers }), url);
  }
  if (Number(headers.get("content-length") ?? 0) > limits.bytes) {
    discard();
    throw outboundError("too_large", label);
  }
  if (decoded.has(headers.get("content-encoding")?.trim().toLowerCase() ?? "")) {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  const bounded = boundedBody(body, exchange, {
    bytes: limits.bytes,
    idleMs: limits.idleMs,
    tooLarge: () => outboundError("too_large", label),
    silent: () => outboundError("silent_body", label),
    broken: () => outboundError("connection", label),
  });
  return withUrl(new Response(bounded, { status, statusText, headers }), url);
}

/** Sets the `url` of a response, which is empty in a response that a constructor created. */
function withUrl(response: Response, url: URL): Response {
  return Object.defineProperty(response, "url", { value: url.href });
}
