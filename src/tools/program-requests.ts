// The requests of a program to addresses that a model, a document or a configuration chose. They have the guard of threads: private networks
// are reached only if the program allows the host.

import { createDnsOverHttps } from "#core/outbound/dns-over-https.ts";
import { createGuardedFetch, defaultOutboundLimits } from "#core/outbound/guarded-fetch.ts";
import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import { createRequestQueue } from "#lib/bounded-fetch.ts";
import { systemClock } from "#lib/system-clock.ts";

/** The resolver of host names. A host that a program allows is not looked up. */
const resolverUrl = "https://cloudflare-dns.com/dns-query";

/** How many requests of one source wait for a response at the same time. */
const mostWaiting = 6;

/** Creates the guarded fetch of one source of tools. */
export function programRequests(): OutboundFetch {
  const transport = {
    // Called with the global object as its receiver, which runtimes require.
    fetch: (url: string, init: RequestInit) => fetch(url, init),
    inTurn: createRequestQueue(mostWaiting),
    clock: systemClock,
  };
  const resolver = createDnsOverHttps(transport, new URL(resolverUrl));
  return createGuardedFetch({ ...transport, resolver, allowedHosts: [], limits: defaultOutboundLimits });
}
