// No spelling of an internal address is accepted, and every public address is.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { addressKind } from "#lib/outbound/address-kind.ts";
import { readHost } from "#lib/outbound/host.ts";
import { readTarget } from "#lib/outbound/target.ts";

import { anyAddress, carriedV4, dotted, insideAddress, insideV6, isInside, spelledV4 } from "./spellings.ts";

/** The ways in which a host would be requested or looked up: by its own reading, and in URLs of every kind. Empty if it is refused. */
function letThrough(host: string): string[] {
  const urls = [
    `https://${host}/`,
    `https://${host}:8443/a?b#c`,
    `https://good.example.com@${host}/`,
    `https://good.example.com:x@${host}/`,
    `https:\\\\${host}\\x`,
    `https:${host}`,
    `  https:/${host}/`,
    `HTTPS://${host}?@good.example.com`,
    `https://${host}#@good.example.com/`,
    `https://${host}\\@good.example.com/`,
  ];
  const read = readHost(host);
  return [
    ...(read.type === "name" && !read.inside ? [`read as the name ${read.name}`] : []),
    ...(read.type === "address" && read.kind === "public" ? ["read as public"] : []),
    ...urls.filter((url) => readTarget(url, []).ok),
  ];
}

const runs = { numRuns: 3000 };

describe("spellings of an address", () => {
  it("OUT1 An internal IPv4 address is refused however its numbers are written", () => {
    const host = insideAddress.chain(spelledV4);
    fc.assert(
      fc.property(host, (text) => letThrough(text).length === 0),
      runs,
    );
  });

  it("OUT1 An internal IPv6 address is refused however it is written", () => {
    fc.assert(
      fc.property(insideV6, (text) => letThrough(text).length === 0),
      runs,
    );
  });

  it("OUT1 An IPv6 address that contains an IPv4 address is refused, whichever IPv4 address it is", () => {
    const host = fc.oneof(insideAddress, anyAddress).chain(carriedV4);
    fc.assert(
      fc.property(host, (text) => letThrough(text).length === 0),
      runs,
    );
  });

  it("OUT1 A host that the URL parser reads as an IPv4 address is recognised as an address", () => {
    const digits = fc.stringMatching(/^[0-9.xXa-f]{1,12}$/);
    fc.assert(
      fc.property(digits, (text) => {
        const url = URL.parse(`https://${text}/`);
        const plain = url === null ? null : /^\d+\.\d+\.\d+\.\d+$/.exec(url.hostname)?.[0];
        // If the URL parser reads a host as an address, this project reads that address among others.
        return plain == null || addressKind(text) !== null;
      }),
      runs,
    );
  });
});

describe("the table of special ranges", () => {
  it("OUT2 An IPv4 address is public exactly if no special range contains it", () => {
    fc.assert(
      fc.property(fc.oneof(anyAddress, insideAddress), (address) => {
        expect(addressKind(dotted(address)) === "public").toBe(!isInside(address));
        expect(readTarget(`https://${dotted(address)}/`, []).ok).toBe(!isInside(address));
      }),
      runs,
    );
  });

  it.for([
    ["0.0.0.0", "unspecified"],
    ["10.255.255.255", "private"],
    ["100.64.0.1", "shared"],
    ["100.100.100.200", "shared"],
    ["127.0.0.1", "loopback"],
    ["168.63.129.16", "metadata"],
    ["169.254.169.254", "link_local"],
    ["172.31.0.1", "private"],
    ["192.0.0.192", "protocol"],
    ["192.88.99.1", "translation"],
    ["198.19.255.255", "benchmarking"],
    ["203.0.113.7", "documentation"],
    ["239.255.255.250", "multicast"],
    ["255.255.255.255", "reserved"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["::7f00:1", "translation"],
    ["::ffff:8.8.8.8", "translation"],
    ["64:ff9b::8.8.8.8", "translation"],
    ["2002:808:808::1", "translation"],
    ["2001:0:1::", "translation"],
    ["2001:2::1", "benchmarking"],
    ["2001:db8::1", "documentation"],
    ["fd00:ec2::254", "private"],
    ["fe80::1%en0", "link_local"],
    ["ff02::1", "multicast"],
    ["8.8.8.8", "public"],
    ["172.15.255.255", "public"],
    ["172.32.0.0", "public"],
    ["100.63.255.255", "public"],
    ["100.128.0.0", "public"],
    ["198.17.255.255", "public"],
    ["198.20.0.0", "public"],
    ["223.255.255.255", "public"],
    ["2606:4700::1111", "public"],
    ["2a00:1450:4001:81b::200e", "public"],
  ] as const)("OUT2 The address %s is of the kind %s", ([text, kind]) => {
    expect(addressKind(text)).toBe(kind);
  });

  it.for([
    ["0127.0.0.1", "loopback"],
    ["010.8.8.8", "private"],
    ["012.1.1.1", "private"],
    ["00000000177.1", "loopback"],
    ["8.8.8.8", "public"],
    ["134744072", "public"],
    ["0x8080808", "public"],
  ] as const)("OUT1 The address %s is read in every notation, and the strictest reading counts: %s", ([text, kind]) => {
    expect(addressKind(text)).toBe(kind);
  });

  it.for(["", ".", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "4294967296", "08.1.1.1.1", "a.b", ":", ":::", "1::2::3"])(
    "OUT1 The text %j is not an IP address",
    (text) => {
      expect(addressKind(text)).toBeNull();
    },
  );

  it.for(["1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "::g", "::1.2.3", "::1.2.3.256", "::01.2.3.4", "1.2.3.4::"])(
    "OUT1 The text %j is not an IP address, and is refused as a malformed host",
    (text) => {
      expect(addressKind(text)).toBeNull();
      expect(readHost(text)).toEqual({ type: "malformed" });
    },
  );
});
