// Proves that a request comes from a program and not from a web page under a name that resolves to this machine (DNS rebinding).
// Without authentication, the server redirects a doubtful request to the same path under a loopback name, with a random token. A
// program follows the redirect. For a page the target is another origin: its browser sends `Origin`, which is refused, and hides the
// target's address from the page.

import { v4 as randomId } from "uuid";

import { errorAnswer } from "../answer/error-answer.ts";

const lifetime = 30_000_000;
const mostTokens = 1000;
const parameter = /[?&]loopback_proof=([0-9a-f-]{36})$/;

/** Creates redirects and checks their tokens. */
export interface LoopbackProof {
  /** Returns the redirect for a request. */
  ask(request: Request): Response;
  /** Returns the request without its token if the token is valid for the address; null otherwise. A token can be used once. */
  redeem(request: Request): Request | null;
}

/** Stores the tokens in memory. `now` returns microseconds. */
export function createLoopbackProof(now: () => number): LoopbackProof {
  const tokens = new Map<string, { url: string; expiresAt: number }>();
  return {
    ask(request) {
      const url = new URL(withoutToken(request.url));
      const token = randomId();
      const [oldest] = tokens.keys();
      if (tokens.size >= mostTokens && oldest !== undefined) tokens.delete(oldest);
      tokens.set(token, { url: url.href, expiresAt: now() + lifetime });
      const location = `${url.href}${url.search === "" ? "?" : "&"}loopback_proof=${token}`;
      const message =
        'Follow the redirect, or send "Sec-Fetch-Site: none": this could be a page under a name that leads to this machine.';
      return new Response(errorAnswer({ code: "forbidden", message }).body, {
        status: 307,
        headers: { location, "cache-control": "no-store", "content-type": "application/json; charset=utf-8" },
      });
    },
    redeem(request) {
      const token = parameter.exec(request.url)?.[1];
      const found = token === undefined ? undefined : tokens.get(token);
      if (token === undefined || found === undefined) return null;
      tokens.delete(token);
      const url = withoutToken(request.url);
      return found.url === url && found.expiresAt > now() ? new Request(url, request) : null;
    },
  };
}

function withoutToken(url: string): string {
  return url.replace(parameter, "");
}
