// The pass cookie, with which an EventSource reconnects. It is valid for one stream's path and hidden from scripts and other sites.

import { passMicros } from "./ticket.ts";

const name = "threadhold_pass";

/** Returns the pass of a request; null if it has none. */
export function readPassCookie(request: Request): string | null {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const divider = pair.indexOf("=");
    if (divider !== -1 && pair.slice(0, divider).trim() === name) return pair.slice(divider + 1).trim();
  }
  return null;
}

/** Returns the `Cookie` header without the pass; null if it contains nothing else. */
export function withoutPassCookie(cookies: string): string | null {
  const others = cookies.split(";").filter((pair) => pair.split("=", 1)[0]?.trim() !== name);
  const kept = others.join(";").trim();
  return kept === "" ? null : kept;
}

/** The `Set-Cookie` header for a pass to the stream at `url`. */
export function passCookie(pass: string, url: URL): string {
  const secure = url.protocol === "https:" ? "; Secure" : "";
  const seconds = passMicros / 1_000_000;
  return `${name}=${pass}; Path=${url.pathname}; Max-Age=${String(seconds)}; HttpOnly; SameSite=Strict${secure}`;
}
