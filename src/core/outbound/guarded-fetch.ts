// The fetch for addresses that somebody else chose. Before each request, redirects included, its URL is judged, its name is
// looked up and every address is judged; what comes back is bounded in bytes and time. Invariant: nothing is requested that
// was not judged in exactly that spelling.

import { addressKind } from "#lib/outbound/address-kind.ts";
import type { HostPattern } from "#lib/outbound/host-list.ts";
import { redirected, redirectLocation } from "#lib/outbound/redirect.ts";
import type { Redirectable } from "#lib/outbound/redirect.ts";
import { longestUrl, readTarget } from "#lib/outbound/target.ts";
import type { Target } from "#lib/outbound/target.ts";

import type { OutboundFetch, OutboundLimits } from "../ports/outbound-fetch.ts";
import type { Resolver } from "../ports/resolver.ts";
import { boundedBody } from "./bounded-body.ts";
import { Exchange } from "./exchange.ts";
import type { Way } from "./exchange.ts";
import { callLimits, firstRequest, listedHosts } from "./first-request.ts";
import { outboundError } from "./outbound-error.ts";

/** Bounds where the caller names none. */
export const standardLimits: OutboundLimits = {
  bytes: 8 * 1024 * 1024,
  headersMs: 15_000,
  idleMs: 15_000,
  totalMs: 60_000,
  redirects: 5,
};

/** What a guarded fetch is made of, besides the way its requests leave. */
export interface GuardedFetchParts extends Way {
  resolver: Resolver;
  /** Hosts of the deployment that may lie inside. */
  allowedHosts: readonly HostPattern[];
  limits: OutboundLimits;
}

/** Makes one. See `OutboundFetch` for what it promises. */
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
      const url = text.length > longestUrl ? null : URL.parse(text);
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
    const target = judged(request.url, call.listed);
    await judgeAddresses(call, target);
    const response = await send(call, target, request);
    const location = redirectLocation(response);
    if (location === null || call.redirect === "manual") return boundedResponse(call, target, response);

    // Nobody reads the body of a redirect; that it cannot be given up cleanly changes nothing.
    response.body?.cancel().catch(() => undefined);
    if (call.redirect === "error" || followed >= call.limits.redirects) throw outboundError("redirects", target.label);
    const url = URL.parse(location, target.url.href);
    if (url === null) throw outboundError("bad_answer", target.label);
    const next = redirected({ ...request, url: target.url }, response.status, url);
    if (!next.ok) throw outboundError(next.problem, target.label);
    request = next.request;
  }
}

function judged(url: URL, listed: readonly HostPattern[]): Target {
  const answer = readTarget(url, listed);
  if (!answer.ok) throw outboundError(answer.problem, answer.label);
  return answer.target;
}

/** Looks the name up, if it is one. Every address has to be public: nobody knows which of them the platform will take. */
async function judgeAddresses({ exchange, resolver }: Call, { lookUp, label }: Target): Promise<void> {
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

/** Encodings that the platform takes off: what is read is longer than `content-length` says. */
const decoded = new Set(["gzip", "br"]);

function boundedResponse({ exchange, limits }: Call, { label }: Target, response: Response): Response {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  const body: ReadableStream<Uint8Array> | null = response.body;
  const discard = (): void => void body?.cancel().catch(() => undefined);
  // 101 would be another protocol, and what is outside of this range no `Response` can be made of.
  if (status < 200 || status > 599) {
    discard();
    throw outboundError("bad_answer", label);
  }
  if (body === null || status === 204 || status === 205 || status === 304) {
    discard();
    exchange.end();
    return new Response(null, { status, statusText, headers });
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
  return new Response(bounded, { status, statusText, headers });
}
