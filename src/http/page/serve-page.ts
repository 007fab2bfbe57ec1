// The page at `/`. Its one script and one style carry a nonce of this answer; nothing else may run, load or frame it.

import { v4 as randomId } from "uuid";

import page from "./page.html";

/** The page. Public: it holds no data, and what it shows it fetches with the visitor's own token. */
export function servePage(): Response {
  const nonce = randomId();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return new Response(page.replaceAll("__NONCE__", nonce), {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy.join("; "),
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}
