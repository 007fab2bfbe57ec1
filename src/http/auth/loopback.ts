// Decides which host names mean this machine, and whether the headers of a request prove who sent it. A name that merely resolves
// to this machine does not count: an attacker's page can have such a name (DNS rebinding).
//
// Under `wrangler dev` the Host header proves nothing, because the server replaces URL and Host by the header `MF-Original-URL` of
// any request. A page under such a name can set that header and `MF-Sec-Fetch-Mode`, which becomes `Sec-Fetch-Mode`. It can also
// remove `Accept-Language` by an empty value, which the runtime drops. `provenanceOf` relies only on what a page cannot do.

import type { AllowedOrigins } from "./origin.ts";
import { isForeign } from "./origin.ts";

/** Whether `host`, with or without a port, is localhost, 127.0.0.0/8 or [::1]. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, "");
  if (name === "localhost" || name === "[::1]") return true;
  const numbers = /^127\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(name)?.slice(1) ?? [];
  return numbers.length === 3 && numbers.every((number) => Number(number) <= 255);
}

/** The origins that may call in the open loopback mode: the configured ones, and every origin of this machine. */
export function withLoopbackOrigins(listed: AllowedOrigins): AllowedOrigins {
  return { has: (origin) => listed.has(origin) || isLoopbackOrigin(origin) };
}

function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  const web = url?.protocol === "http:" || url?.protocol === "https:";
  return url !== null && web && url.origin === origin && isLoopbackHost(url.host);
}

/**
 * Whether the request's URL and its `Host` header (if present) are names of this machine. Requests with a header `mf-…` are
 * refused: the local server uses those headers to rewrite both, and they do not belong in a request to the Worker.
 */
export function cameByLoopback(request: Request): boolean {
  const header = request.headers.get("host");
  if ([...request.headers.keys()].some((name) => name.startsWith("mf-"))) return false;
  return isLoopbackHost(new URL(request.url).host) && (header === null || isLoopbackHost(header));
}

/**
 * Who sent a request, as far as its headers prove it. `here`: a program or page of this machine. `foreign`: a page that may not
 * call. `unknown`: a program, or a page under a name that resolves to this machine. `forwarded`: like `unknown`, but a redirect
 * would prove nothing.
 */
export type Provenance = "here" | "foreign" | "unknown" | "forwarded";

/** Determines the sender from headers that no page can set or remove. */
export function provenanceOf(request: Request, allowed: AllowedOrigins): Provenance {
  const { headers, method, url } = request;
  if (isForeign(request, allowed)) return "foreign";
  // Browsers send `Sec-Fetch-Site` to trustworthy addresses such as localhost, and not to a rebound name over http.
  if (headers.has("sec-fetch-site")) return "here";
  if (isSentByNoBrowser(request)) return "here";
  const origin = headers.get("origin");
  // With `--host`, wrangler replaces Host, Origin and Location of every request by that name, without a port.
  if (new URL(url).port === "") return origin !== null && !isLoopbackOrigin(origin) ? "here" : "forwarded";
  if (origin !== null) return "here";
  // Browsers send `Origin` with every method other than GET and HEAD, and with every upgrade.
  if (method !== "GET" && method !== "HEAD") return "here";
  return headers.has("upgrade") ? "here" : "unknown";
}

/**
 * Whether all headers that browsers always send are missing. Only the absence of `Accept-Encoding` proves it, because a page cannot remove
 * that header. If one of the other headers is present, the sender may be a browser.
 */
function isSentByNoBrowser(request: Request): boolean {
  const { headers } = request;
  if (headers.has("origin") || headers.has("accept-language") || headers.get("user-agent")?.startsWith("Mozilla/")) {
    return false;
  }
  // The local server replaces `Accept-Encoding` and stores the client's value in `cf`. A request that forges `cf` by `MF-CF-Blob`
  // still has the replaced header.
  const own = request.cf?.["clientAcceptEncoding"] ?? headers.get("accept-encoding") ?? "";
  return own === "";
}
