// What a caller may request, what errors contain, and the effect of a deployment's variables.

import { describe, expect, it } from "vitest";

import type { OutboundInit } from "#core/ports/outbound-fetch.ts";
import { createLog } from "#lib/log-port.ts";
import { outboundFetch } from "#worker/outbound.ts";
import type { OutboundVariables } from "#worker/outbound.ts";

import { requested, guard, network, newId, refused, server, serverHost, way } from "./guard.ts";

const one = "https://one.example.com";

describe("invalid requests", () => {
  it.for([
    ["an unknown method", { method: "BREW" }],
    ["CONNECT", { method: "CONNECT" }],
    ["TRACE", { method: "TRACE" }],
    ["a method with a line break", { method: "GET / HTTP/1.1\r\nx: y" }],
    ["a body in GET", { body: "x" }],
    ["a body in HEAD", { method: "head", body: "x" }],
    ["a line break in a header's value", { headers: { "x-own": "a\r\nx-injected: b" } }],
    ["a line feed in a header's value", { headers: { "x-own": "a\nb" } }],
    ["NUL in a header's value", { headers: { "x-own": "a\0b" } }],
    ["a line break in a header's name", { headers: { "x-own: a\r\nx-injected": "b" } }],
    ["no header's name", { headers: { "": "b" } }],
    ["a space in a header's name", { headers: { "x own": "b" } }],
    ["a control character in a header's value", { headers: { "x-own": "a\u0001b" } }],
    ["DEL in a header's value", { headers: { "x-own": "a\u007fb" } }],
    ["Host", { headers: { Host: "inside.internal" } }],
    ["Transfer-Encoding", { headers: { "transfer-encoding": "chunked" } }],
    ["Content-Length", { headers: { "content-length": "5" } }],
    ["Connection", { headers: { connection: "x-own" } }],
    ["Upgrade", { headers: { upgrade: "websocket" } }],
    ["Accept-Encoding", { headers: { "accept-encoding": "zstd" } }],
    ["Proxy-Authorization", { headers: { "proxy-authorization": "Basic secret" } }],
    ["NaN as a bound", { limits: { bytes: Number.NaN } }],
    ["a negative bound", { limits: { totalMs: -1 } }],
    ["a host of the definition that is none", { allowedHosts: ["https://inside.internal/"] }],
  ] as const satisfies readonly (readonly [string, OutboundInit])[])(
    "OUT16 A request with %s is refused",
    async ([, init]) => {
      const { guarded, sent } = guard();
      const error = await refused(guarded(`${one}/echo`, init));
      expect(error).toMatchObject({ reason: "bad_request", code: "invalid_request" });
      expect(error.message).not.toMatch(/secret|x-injected/);
      expect(sent).toEqual([]);
    },
  );

  it("OUT16 The URL is sent as it was parsed, with line breaks removed as the URL standard requires", async () => {
    const id = newId();
    const { guarded, sent } = guard();
    const response = await guarded(` https://one.exa\nmple.com/ec\tho?id=${id}#fragment\r\n`);
    expect(response.status).toBe(200);
    await response.body?.cancel();
    expect(sent).toEqual([`${one}/echo?id=${id}`]);
  });
});

describe("texts of errors", () => {
  const secret = "s3cret";
  const path = `/${secret}/echo?key=${secret}#${secret}`;

  it.for([
    ["inside", `https://127.0.0.1${path}`],
    ["inside", `https://private.example.com${path}`],
    ["scheme", `http://one.example.com${path}`],
    ["scheme", `ftp://one.example.com${path}`],
    ["port", `https://one.example.com:22${path}`],
    ["credentials", `https://user:${secret}@one.example.com${path}`],
    ["malformed", `https://one..example.com${path}`],
    ["malformed", `https:///?${secret}`],
    ["malformed", `${secret}`],
    ["unknown_host", `https://nowhere.example.com${path}`],
    ["lookup_failed", `https://failing.example.com${path}`],
    ["downgrade", `https://one.example.com/redirect?to=http://two.example.com/?${secret}`],
    ["credentials", `https://one.example.com/redirect?to=https://${secret}@two.example.com/`],
    ["redirects", `https://one.example.com/hop?key=${secret}`],
    ["bad_answer", `https://one.example.com/status-999?key=${secret}`],
    ["too_large", `https://one.example.com/overstated?key=${secret}`],
  ] as const)("OUT15 A refusal for %s of %s names the host and nothing else of the URL", async ([reason, url]) => {
    const error = await refused(guard().guarded(url, { headers: { authorization: secret } }));
    expect(error.reason).toBe(reason);
    expect(JSON.stringify(error)).not.toContain(secret);
    if (error.host !== null) expect(error.message.startsWith(error.host)).toBe(true);
    // No address of a looked-up name is in the error.
    expect(error.message).not.toContain("10.1.2.3");
  });

  it("OUT15 An error does not contain the platform's description of a failure", async () => {
    const { guarded } = guard({
      fetch: (url) => (url.includes("dns-query") ? fetch(url) : Promise.reject(new TypeError(`cannot reach ${url}`))),
    });
    const call = guarded(`https://one.example.com/?key=${secret}`);
    const thrown: unknown = await call.catch((error: unknown) => error);
    expect(thrown instanceof Error && `${thrown.stack} ${String(thrown.cause)}`).not.toContain(secret);
    expect((await refused(call)).reason).toBe("connection");
  });

  it("OUT15 A host name that is too long is shortened in an error", async () => {
    const error = await refused(guard().guarded(`https://${"a".repeat(5000)}.localhost/`));
    expect(error.message.length).toBeLessThan(500);
  });
});

describe("variables", () => {
  /** The guarded fetch of a deployment, and its log lines. */
  function deployed(variables: OutboundVariables) {
    const lines: { event: string; variable: string; message: string }[] = [];
    const net = network();
    const guarded = outboundFetch(variables, way({ fetch: net.fetch }), {
      log: createLog((line) => {
        lines.push(JSON.parse(line) as (typeof lines)[number]);
      }),
    });
    return { guarded, lines, sent: net.sent };
  }

  const ours = (): OutboundVariables => ({ DNS_OVER_HTTPS_URL: `${server()}/dns-query` });

  it("OUT18 ALLOWED_OUTBOUND_HOSTS admits the hosts of this machine and the internal names that it lists, and other internal addresses are refused", async () => {
    const { guarded, lines } = deployed({ ...ours(), ALLOWED_OUTBOUND_HOSTS: `files.internal, ${serverHost()}` });
    for (const url of [`${server()}/echo`, "https://files.internal/echo", "https://one.example.com/echo"]) {
      const response = await guarded(url);
      expect(response.status).toBe(200);
      await response.body?.cancel();
    }
    expect((await refused(guarded("https://loopback.example.com/echo"))).reason).toBe("inside");
    expect(lines).toEqual([]);
  });

  it("OUT18 A deployment without the variables of the guarded fetch sends no request to an internal address", async () => {
    const { guarded, lines, sent } = deployed({});
    expect((await refused(guarded(`${server()}/echo`))).reason).toBe("inside");
    expect([lines, sent]).toEqual([[], []]);
  });

  it("OUT18 A deployment without a variable that names a resolver looks names up at Cloudflare", async () => {
    const { guarded, sent } = deployed({});
    const response = await guarded("https://one.example.com/echo");
    await response.body?.cancel();
    expect(sent).toEqual([
      "https://cloudflare-dns.com/dns-query?name=one.example.com&type=1",
      "https://cloudflare-dns.com/dns-query?name=one.example.com&type=28",
      "https://one.example.com/echo",
    ]);
  });

  it("OUT18 An ALLOWED_OUTBOUND_HOSTS with a mistake admits nothing, and the log names the variable without its value", async () => {
    const { guarded, lines } = deployed({ ...ours(), ALLOWED_OUTBOUND_HOSTS: `${serverHost()},http://oops.internal` });
    expect((await refused(guarded(`${server()}/echo`))).reason).toBe("inside");
    expect(lines).toMatchObject([{ event: "bad_configuration", variable: "ALLOWED_OUTBOUND_HOSTS" }]);
    expect(JSON.stringify(lines)).not.toContain("oops");
  });

  it.for([
    "",
    "no url",
    "http://resolver.example.com/dns-query",
    "https://user:oops@resolver.example.com/",
    "ftp://oops/",
  ])("OUT18 A deployment with %j as resolver looks up no name, and the log names the variable", async (url) => {
    const { guarded, lines, sent } = deployed({ DNS_OVER_HTTPS_URL: url });
    expect((await refused(guarded("https://one.example.com/echo"))).reason).toBe("lookup_failed");
    expect(sent).toEqual([]);
    expect(lines).toMatchObject([{ event: "bad_configuration", variable: "DNS_OVER_HTTPS_URL" }]);
    expect(JSON.stringify(lines)).not.toContain("oops");
  });

  it("OUT16 A request's method, headers and body are sent as given", async () => {
    const id = newId();
    const headers = { authorization: "Bearer own", "content-type": "application/json" };
    const response = await guard().guarded(`${one}/echo?id=${id}`, { method: "put", headers, body: '{"a":1}' });
    await response.body?.cancel();
    expect((await requested(id))[0]).toMatchObject({ method: "PUT", headers, body: '{"a":1}' });
  });
});
