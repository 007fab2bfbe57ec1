// Reads the host of a URL as an address or a name, whatever way it is spelled, and says which names point inside by
// themselves. Fail closed: what is neither a clean address nor a clean name is malformed.

import { addressKind } from "./address-kind.ts";
import type { AddressKind } from "./address-kind.ts";
import { endsInNumber } from "./ipv4.ts";

/** A host, read. `name` is in lower case and has no trailing dot. */
export type Host =
  | { type: "address"; kind: AddressKind }
  | { type: "name"; name: string; inside: boolean }
  | { type: "malformed" };

/** Longest name and longest label of the domain name system. */
const longestName = 253;
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Last labels that never lead onto the internet, or lead to whoever serves the local network: reserved by RFC 2606, 6761,
 * 6762, 7686, 8375 and 9476, by ICANN (`internal`, `corp`, `home`, `mail`), or used by routers and clusters; and the zone
 * whose names Windows takes for IPv6 addresses. `metadata.google.internal` and `kubernetes.default.svc` are among them.
 */
const insideEndings = new Set(
  `alt consul corp default example home home.arpa in-addr.arpa internal intranet invalid ip6.arpa ipv6-literal.net lan local
  localdomain localhost mail onion private svc test`.split(/\s+/),
);

function isInside(labels: readonly string[]): boolean {
  // A single label is looked up with the search list of whichever machine asks.
  if (labels.length < 2) return true;
  return insideEndings.has(labels.at(-1) ?? "") || insideEndings.has(labels.slice(-2).join("."));
}

/** Reads a host as it stands in a URL or was typed: brackets, full-width digits, a trailing dot and all. */
export function readHost(text: string): Host {
  // The dots that host names may be written with instead of the full stop.
  const plain = text.normalize("NFKC").replaceAll("。", ".").toLowerCase();
  const kind = addressKind(plain);
  if (kind !== null) return { type: "address", kind };
  const name = plain.endsWith(".") ? plain.slice(0, -1) : plain;
  const labels = name.split(".");
  if (name.length > longestName || endsInNumber(name) || !labels.every((each) => label.test(each))) {
    return { type: "malformed" };
  }
  return { type: "name", name, inside: isInside(labels) };
}
