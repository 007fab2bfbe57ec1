// Classifies IP addresses by IANA's special-purpose registries. Only `public` ones are on the internet. For IPv6 the rule is inverted:
// only global unicast is public, without its special ranges. Addresses that contain an IPv4 address (mapped, compatible, 6to4, Teredo,
// NAT64) are never public, whatever they contain.

import { readIpv4 } from "./ipv4.ts";
import { readIpv6 } from "./ipv6.ts";

/** The class of an address. */
export type AddressKind =
  | "public"
  | "unspecified"
  | "loopback"
  | "private"
  | "shared"
  | "link_local"
  | "metadata"
  | "protocol"
  | "documentation"
  | "benchmarking"
  | "translation"
  | "multicast"
  | "reserved";

const ipv4Ranges: readonly (readonly [network: string, bits: number, kind: AddressKind])[] = [
  ["0.0.0.0", 8, "unspecified"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "shared"],
  ["127.0.0.0", 8, "loopback"],
  // Azure's platform services for its virtual machines.
  ["168.63.129.16", 32, "metadata"],
  // Most clouds serve an instance's credentials at 169.254.169.254.
  ["169.254.0.0", 16, "link_local"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "protocol"],
  ["192.0.2.0", 24, "documentation"],
  ["192.88.99.0", 24, "translation"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "benchmarking"],
  ["198.51.100.0", 24, "documentation"],
  ["203.0.113.0", 24, "documentation"],
  ["224.0.0.0", 4, "multicast"],
  // Includes the broadcast address.
  ["240.0.0.0", 4, "reserved"],
];

/** The first matching range counts. An address without a match is reserved. */
const ipv6Ranges: readonly (readonly [network: string, bits: number, kind: AddressKind])[] = [
  ["::", 128, "unspecified"],
  ["::1", 128, "loopback"],
  ["::ffff:0:0", 96, "translation"],
  ["::ffff:0:0:0", 96, "translation"],
  ["::", 96, "translation"],
  ["64:ff9b::", 96, "translation"],
  ["64:ff9b:1::", 48, "translation"],
  ["100::", 64, "reserved"],
  ["2001::", 32, "translation"],
  ["2001:2::", 48, "benchmarking"],
  ["2001::", 23, "protocol"],
  ["2001:db8::", 32, "documentation"],
  ["2002::", 16, "translation"],
  ["3fff::", 20, "documentation"],
  ["2000::", 3, "public"],
  ["fc00::", 7, "private"],
  ["fe80::", 10, "link_local"],
  // Site-local: deprecated, but internal wherever it is still used.
  ["fec0::", 10, "private"],
  ["ff00::", 8, "multicast"],
];

const ipv4Table = ipv4Ranges.map(([network, bits, kind]) => {
  const size = 2 ** (32 - bits);
  return { block: Math.floor((readIpv4(network)[0] ?? 0) / size), size, kind };
});

const ipv6Table = ipv6Ranges.map(([network, bits, kind]) => {
  const shift = BigInt(128 - bits);
  return { block: (readIpv6(network) ?? 0n) >> shift, shift, kind };
});

/** The class of an IPv4 address. The address is given as a number. */
function ipv4Kind(address: number): AddressKind {
  return ipv4Table.find(({ block, size }) => Math.floor(address / size) === block)?.kind ?? "public";
}

/** The class of an IPv6 address. The address is given as a number. */
function ipv6Kind(address: bigint): AddressKind {
  return ipv6Table.find(({ block, shift }) => address >> shift === block)?.kind ?? "reserved";
}

/** The class of the address in `text`, in any notation; the most restricted one if the text is ambiguous. Null: not an address. */
export function addressKind(text: string): AddressKind | null {
  const long = readIpv6(text);
  if (long !== null) return ipv6Kind(long);
  const kinds = readIpv4(text).map(ipv4Kind);
  return kinds.find((kind) => kind !== "public") ?? kinds[0] ?? null;
}
