// What the plugin of `threadhold/testing/vite` does with requests that leave the runtime of tests.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";

import { expect, it, onTestFinished, vi } from "vitest";

import { blockedNetwork, hostsOf } from "#testing/vite/blocked-network.ts";
import { explained, isNoise } from "#testing/vite/quiet-runtime.ts";

async function listen(): Promise<{ host: string; received: string[] }> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
    request.on("end", () => {
      received.push(`${String(request.method)} ${String(request.url)} ${String(request.headers["x-own"])} ${body}`);
      if (request.url === "/moved") response.writeHead(302, { location: "/elsewhere" }).end();
      else response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("Outside"));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { host: `127.0.0.1:${String((server.address() as AddressInfo).port)}`, received };
}

const request = (url: string, init: RequestInit = {}) => new Request(url, { ...init, duplex: "half" } as RequestInit);

it("OFFLINE5 A request to a listed host is passed on with its method, headers and body, and its redirect is returned", async () => {
  const { host, received } = await listen();
  const service = blockedNetwork([host]);
  const response = await service(
    request(`http://${host}/a?b=1`, { method: "POST", body: "text", headers: { "x-own": "1" } }),
  );
  expect([response.status, await response.text()]).toEqual([200, "Outside"]);
  expect((await service(request(`http://${host}/moved`))).status).toBe(302);
  expect(received).toEqual(["POST /a?b=1 1 text", "GET /moved undefined "]);
});

it("OFFLINE3 A request to another host, to another port or for a socket is blocked and printed, without its path", async () => {
  const printed = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => printed.mockRestore());
  const { host, received } = await listen();
  const [name = "", port = ""] = host.split(":");
  const blocked: [string[], string, RequestInit?][] = [
    [[], `http://${host}/secret`],
    [[`${name}:${String(Number(port) + 1)}`], `http://${host}/secret`],
    [["*.example.com"], "https://example.com/secret"],
    [[host], `http://${host}/secret`, { headers: { upgrade: "websocket" } }],
  ];
  for (const [hosts, url, init] of blocked) {
    const response = await blockedNetwork(hosts)(request(url, init));
    expect([response.status, await response.text()]).toEqual([502, expect.stringContaining(new URL(url).origin)]);
  }
  expect(received).toEqual([]);
  const lines = printed.mock.calls.map(([line]) => String(line));
  expect(lines).toHaveLength(blocked.length);
  expect(lines.join("")).not.toContain("secret");
});

it.each([
  [
    "POST",
    [],
    {},
    /^A test tried to reach https:\/\/db\.example\.com:8443 \(POST\).*network: \["db\.example\.com:8443"\]/,
  ],
  [
    "GET",
    ["db.example.com"],
    { upgrade: "websocket" },
    /^A test tried to open a WebSocket to https:.*also to hosts in the option network/,
  ],
  ["GET", [], { upgrade: "websocket" }, /tests open none\. .*network: true/],
])(
  "OFFLINE3 The error for a blocked %s with the hosts %j and the headers %j names the script of a source, and the narrowest option",
  async (method, hosts, headers, text) => {
    const printed = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => printed.mockRestore());
    await blockedNetwork(hosts)(request("https://db.example.com:8443/secret", { method, headers: { ...headers } }));
    const line = String(printed.mock.calls[0]?.[0]);
    expect(line).toMatch(text);
    expect(line).toContain("startThread(…, { sources: { … } })");
    // A request has a narrower way than the whole network.
    expect(line.includes("network: true")).toBe("upgrade" in headers);
  },
);

it("OFFLINE3 The runtime's error for a socket is printed with its cause and its fix", () => {
  const line = explained("Error: Incoming CONNECT on a worker not supported\n    at connect\n");
  expect(line).toMatch(/^Error: Incoming CONNECT .*opened a socket .*network: true.*\n {4}at connect\n$/);
  expect(explained("Error: other")).toBe("Error: other");
});

it("OFFLINE5 An entry of the option network that is no host is an error that shows the forms of hosts", () => {
  expect(hostsOf(true)).toBe(true);
  expect(hostsOf(false)).toEqual([]);
  for (const entry of ["http://localhost:8080", "localhost/path", "a, b", ""])
    expect(() => hostsOf([entry])).toThrow(`The option network has "${entry}". Write a host as localhost:8080`);
});

it.each([
  ["exception = workerd/api/web-socket.c++:821: disconnected: WebSocket peer disconnected;\n", true],
  [
    'Sourcemap for "/app/node_modules/@modelcontextprotocol/sdk/dist/esm/types.js" points to missing source files\n',
    true,
  ],
  [
    '\u001B[33mSourcemap for "/app/node_modules/a/b.js" points to a source file outside its package: "/x"\u001B[39m\n',
    true,
  ],
  ['Sourcemap for "/app/agents/tools/a.js" points to missing source files\n', false],
  ["exception = kj/async-io-unix.c++:186: disconnected: connect(): Connection refused\n", false],
  ["Error: The test failed.\n", false],
] as const)(
  "The report of tests leaves out only messages that concern no test: %j is left out: %s",
  (text, isLeftOut) => {
    expect(isNoise(text)).toBe(isLeftOut);
  },
);
