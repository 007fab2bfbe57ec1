// Addresses of pages that the outbound server serves.

import { inject } from "vitest";

/** The address of a page with this content type and content. */
export function pageUrl(type: string, body: string | Uint8Array, status = 200): string {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const text = btoa(String.fromCharCode(...bytes));
  const query = new URLSearchParams({
    type,
    status: String(status),
    body: text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, ""),
  });
  return `${inject("outboundServer")}/page?${query.toString()}`;
}
