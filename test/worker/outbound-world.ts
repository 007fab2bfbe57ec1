// Lets threads of the test Worker send outbound requests to servers on this machine that a test allows.

import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";

/** Allowed hosts, written as in ALLOWED_OUTBOUND_HOSTS. */
export const reachable: string[] = [];

/** The guarded fetch with these hosts allowed. */
export function reaching(outbound: OutboundFetch): OutboundFetch {
  return (url, init) => outbound(url, { ...init, allowedHosts: [...(init?.allowedHosts ?? []), ...reachable] });
}
