// Reads the variables of outbound requests and creates the guarded fetch. Fails closed: a list with a mistake allows no internal host, and
// with an invalid resolver no name can be resolved.

import { createDnsOverHttps } from "#core/outbound/dns-over-https.ts";
import type { Transport } from "#core/outbound/exchange.ts";
import { createGuardedFetch, defaultOutboundLimits } from "#core/outbound/guarded-fetch.ts";
import type { OutboundFetch } from "#core/ports/outbound-fetch.ts";
import type { Resolver } from "#core/ports/resolver.ts";
import { consoleLog, type Log } from "#lib/log-port.ts";
import { addressKind } from "#lib/outbound/address-kind.ts";
import { readHostList } from "#lib/outbound/host-list.ts";

/** The variables of outbound requests. */
export interface OutboundVariables {
  ALLOWED_OUTBOUND_HOSTS?: string;
  DNS_OVER_HTTPS_URL?: string;
}

const standardResolver = "https://cloudflare-dns.com/dns-query";

interface OutboundParts {
  log?: Log;
  /** Replaces DNS over HTTPS. */
  resolver?: Resolver;
}

/** Creates the guarded fetch of a deployment. Logs the variables that have invalid values. */
export function outboundFetch(
  variables: OutboundVariables,
  way: Transport,
  { log = consoleLog, resolver: replacement }: OutboundParts = {},
): OutboundFetch {
  const warn = (variable: string, message: string): void => {
    log("error", "bad_configuration", { variable, message });
  };
  const allowedHosts = readHostList(variables.ALLOWED_OUTBOUND_HOSTS ?? "");
  if (allowedHosts === null) {
    warn("ALLOWED_OUTBOUND_HOSTS", "Not a comma list of host, host:port or *.suffix; no host inside is allowed.");
  }
  const resolverUrl = readResolverUrl(variables.DNS_OVER_HTTPS_URL ?? standardResolver);
  if (resolverUrl === null) {
    warn("DNS_OVER_HTTPS_URL", "Neither https nor http on a loopback address; names are not looked up and not asked.");
  }
  const resolver = replacement ?? createDnsOverHttps(way, resolverUrl);
  return createGuardedFetch({ ...way, resolver, allowedHosts: allowedHosts ?? [], limits: defaultOutboundLimits });
}

function readResolverUrl(text: string): URL | null {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "") return null;
  const safe = url.protocol === "https:" || (url.protocol === "http:" && addressKind(url.hostname) === "loopback");
  return safe ? url : null;
}
