// Reads the host of a URL as an address or a name, in any notation, and recognises the names that are internal by definition. Fails
// closed: a host that is neither a valid address nor a valid name is malformed.

import { addressKind } from "./address-kind.ts";
import type { AddressKind } from "./address-kind.ts";
import { endsInNumber } from "./ipv4.ts";

/** The parsed host. `name` is in lower case and has no trailing dot. */
export type Host =
  | { type: "address"; kind: AddressKind }
  | { type: "name"; name: string; inside: boolean }
  | { type: "malformed" };

/** The longest name of the domain name system, in characters. */
const maxNameLength = 253;
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Top-level labels that are never on the internet, or that the local network resolves: reserved by RFC 2606, 6761, 6762, 7686, 8375 and
 * 9476, by ICANN (`internal`, `corp`, `home`, `mail`), or used by routers and clusters; and the zone whose names Windows reads as IPv6
 * addresses. `metadata.google.internal` and `kubernetes.default.svc` are covered.
 */
const internalEndings = new Set(
  `alt consul corp default example home home.arpa in-addr.arpa internal intranet invalid ip6.arpa ipv6-literal.net lan local
  localdomain localhost mail onion private svc test`.split(/\s+/),
);

function isInside(labels: readonly string[]): boolean {
  // A single label is completed with the search domains of the machine that resolves it.
  if (labels.length < 2) return true;
  return internalEndings.has(labels.at(-1) ?? "") || internalEndings.has(labels.slice(-2).join("."));
}

/** Reads a host as a URL or a person writes it: with brackets, full-width digits or a trailing dot. */
export function readHost(text: string): Host {
  // Unicode has other dots that separate labels too.
  const plain = text.normalize("NFKC").replaceAll("。", ".").toLowerCase();
  const kind = addressKind(plain);
  if (kind !== null) return { type: "address", kind };
  const name = plain.endsWith(".") ? plain.slice(0, -1) : plain;
  const labels = name.split(".");
  if (name.length > maxNameLength || endsInNumber(name) || !labels.every((each) => label.test(each))) {
    return { type: "malformed" };
  }
  return { type: "name", name, inside: isInside(labels) };
}
