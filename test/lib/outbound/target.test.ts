// The requirements on a URL before anything is looked up.

import { describe, expect, it } from "vitest";

import { readHostList } from "#lib/outbound/host-list.ts";
import { readHost } from "#lib/outbound/host.ts";
import { maxUrlLength, readTarget } from "#lib/outbound/target.ts";

/** The problem of a URL, or null; `listed` is the value of ALLOWED_OUTBOUND_HOSTS. */
function problem(url: string, listed = ""): string | null {
  const list = readHostList(listed);
  if (list === null) throw new Error(`${listed} is no list`);
  const answer = readTarget(url, list);
  return answer.ok ? null : answer.problem;
}

describe("names", () => {
  it.for([
    "localhost",
    "LOCALHOST",
    "localhost.",
    "ⓛocalhost",
    "a.localhost",
    "printer.local",
    "metadata.google.internal",
    "metadata.google.internal.",
    "metadata",
    "instance-data.ec2.internal",
    "host.docker.internal",
    "kubernetes.default.svc",
    "db.prod.svc.cluster.local",
    "router.home.arpa",
    "nas.lan",
    "intranet",
    "server.corp",
    "a.test",
    "a.invalid",
    "a.example",
    "secret.onion",
    "1.0.0.127.in-addr.arpa",
    "fe80--1.ipv6-literal.net",
  ])("OUT3 The host name %s is refused as internal without a lookup", (name) => {
    expect(problem(`https://${name}/`)).toBe("inside");
    const read = readHost(name);
    expect(read.type === "name" && read.inside).toBe(true);
  });

  it.for([
    "a..example.com",
    "example.com..",
    ".example.com",
    "-a.example.com",
    "a!b.example.com",
    "a'b.example.com",
    "a,b.example.com",
    `${"a".repeat(64)}.example.com`,
    `${"a.".repeat(127)}com`,
    "example.123",
    "example.0x1f",
    "*.example.com",
  ])("OUT3 The host name %s is refused as malformed", (name) => {
    expect(problem(`https://${name}/`)).toBe("malformed");
  });

  it.for([
    ["example.com", "example.com"],
    ["Example.COM.", "example.com"],
    ["ｅｘａｍｐｌｅ.com", "example.com"],
    ["münchen.de", "xn--mnchen-3ya.de"],
    ["_dmarc.example.com", "_dmarc.example.com"],
    ["local.example.com", "local.example.com"],
    ["127.0.0.1.nip.io", "127.0.0.1.nip.io"],
  ] as const)("OUT2 The host %s is looked up as %s", ([name, lookUp]) => {
    const answer = readTarget(`https://${name}/path?query#fragment`, []);
    expect(answer.ok && answer.target.lookUp).toBe(lookUp);
    expect(answer.ok && answer.target.url.hash).toBe("");
  });
});

describe("length, scheme, credentials and port of a URL", () => {
  it.for(["", "no url", "/path", "//host/path", "https://", "https:///"])(
    "OUT4 The text %j is no URL that can be requested",
    (url) => {
      expect(problem(url)).toBe("malformed");
    },
  );

  it("OUT4 A URL with more than the maximum number of characters is no URL that can be requested", () => {
    expect(problem(`https://a.example.com/${"x".repeat(maxUrlLength)}`)).toBe("malformed");
  });

  it.for([
    "http://one.example.com/",
    "ftp://one.example.com/",
    "file:///etc/passwd",
    "data:text/plain,x",
    "blob:https://one.example.com/x",
    "javascript:alert(1)",
    "ws://one.example.com/",
    "gopher://one.example.com:1/x",
  ])("OUT4 The URL %s is refused because of its scheme", (url) => {
    expect(problem(url)).toBe("scheme");
  });

  it.for(["https://user@one.example.com/", "https://:word@one.example.com/", "https://user:word@one.example.com/"])(
    "OUT4 The URL %s is refused because it carries credentials",
    (url) => {
      expect(problem(url)).toBe("credentials");
      expect(problem(url, "one.example.com")).toBe("credentials");
    },
  );

  it.for([0, 1, 21, 22, 23, 25, 53, 79, 81, 110, 389, 444, 636, 1023, 2049, 6000, 6667, 10080])(
    "OUT4 A request to port %d is refused",
    (port) => {
      expect(problem(`https://one.example.com:${port}/`)).toBe("port");
      expect(problem(`https://one.example.com:${port}/`, "one.example.com")).toBe("port");
    },
  );

  it.for([80, 443, 1024, 3000, 8080, 8443, 65_535])("OUT4 A request to port %d is allowed", (port) => {
    expect(problem(`https://one.example.com:${port}/`)).toBeNull();
  });
});

describe("the list", () => {
  it.for([
    ["10.0.0.7", "http://10.0.0.7/", null],
    ["10.0.0.7", "http://0xa.7:8080/", null],
    ["10.0.0.7", "http://10.0.0.8/", "inside"],
    ["10.0.0.7:8080", "http://10.0.0.7:8080/", null],
    ["10.0.0.7:8080", "http://10.0.0.7/", "inside"],
    ["10.0.0.7:8080", "http://10.0.0.7:8081/", "inside"],
    ["10.0.0.7:443", "https://10.0.0.7/", null],
    ["10.0.0.7:443", "http://10.0.0.7/", "inside"],
    ["10.0.0.7:22", "http://10.0.0.7:22/", null],
    ["127.0.0.1:8080", "http://localhost:8080/", "inside"],
    ["127.0.0.1:8080", "http://127.0.0.2:8080/", "inside"],
    ["127.0.0.1:8080", "http://[::ffff:127.0.0.1]:8080/", "inside"],
    ["[fd00::7]:8080", "http://[FD00:0::7]:8080/", null],
    ["[fd00::7]", "http://[fd00::8]/", "inside"],
    ["files", "http://files/", null],
    ["FILES.internal.", "http://files.internal./", null],
    ["*.internal", "http://files.internal/", null],
    ["*.internal", "http://a.b.internal/", null],
    ["*.internal", "http://internal/", "inside"],
    ["*.internal", "http://evilinternal/", "inside"],
    ["*.b.internal:8080", "http://a.b.internal:8080/", null],
    ["*.b.internal:8080", "http://a.b.internal/", "inside"],
    ["one.example.com", "http://one.example.com/", null],
    ["one.example.com", "http://two.one.example.com/", "scheme"],
    ["one.example.com", "http://one.example.com.evil.com/", "scheme"],
    [" a.internal , b.internal ", "http://b.internal/", null],
  ] as const)(
    "OUT5 With the allow list %s, the reason to refuse the URL %s is %s (null if it is allowed)",
    ([listed, url, expected]) => {
      expect(problem(url, listed)).toBe(expected);
    },
  );

  it("OUT5 A host on the allow list is not looked up", () => {
    const answer = readTarget("https://files.internal/", readHostList("files.internal") ?? []);
    expect(answer.ok && answer.target.lookUp).toBeNull();
  });

  it.for([
    "*",
    "*.",
    "a,,b",
    "a,",
    "http://a",
    "a/b",
    "a:b",
    "a:0",
    "a:65536",
    "a:80:80",
    "user@a",
    "a b",
    "*.*.a",
    "a*",
    "*.0.0.1",
    "*.[::1]",
    "::1",
    "[::1",
    "999.1.1.1",
  ])("OUT5 An allow list that contains %j allows nothing", (listed) => {
    expect(readHostList(listed)).toBeNull();
    expect(readHostList(`good.internal,${listed}`)).toBeNull();
  });
});
