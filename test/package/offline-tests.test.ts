// The tests of a project touch no network: a server that stands for every outside address of the project counts connections.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";

import { linkPackages } from "./linked-packages.ts";
import { run, type ProgramResult } from "./run.ts";

describe("a project whose tests send no requests", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-offline-"));
  let outside: { server: Server; url: string; connections: string[] };

  beforeAll(async () => {
    cpSync(fileURLToPath(new URL("fixtures/offline", import.meta.url)), folder, { recursive: true });
    const { assistant } = inject("packed").projects;
    cpSync(path.join(assistant, "package.json"), path.join(folder, "package.json"));
    linkPackages(assistant, folder);
    outside = await countingServer();
    const { url } = outside;
    const variables = {
      OUTSIDE: url,
      OPENAI_API_KEY: "key-of-openai",
      OPENAI_BASE_URL: `${url}/v1`,
      OTEL_EXPORTER_OTLP_ENDPOINT: url,
      WAITING_WEBHOOK_URL: `${url}/webhook`,
      WAITING_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString("base64")}`,
      API_TOKENS: "anna-token-0001=anna",
      JWKS_URL: `${url}/jwks`,
      DNS_OVER_HTTPS_URL: `${url}/dns-query`,
      ALLOWED_OUTBOUND_HOSTS: new URL(url).host,
      OPEN_LOOPBACK: "true",
      ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64"),
    };
    const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(path.join(folder, ".dev.vars"), lines.join(""));
  });

  afterAll(() => {
    outside.server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  const vitest = (env: NodeJS.ProcessEnv, ...names: string[]): Promise<ProgramResult> =>
    run(["vitest", "run", ...names], { cwd: folder, env: { NO_COLOR: "1", ...env } });

  it("OFFLINE1 OFFLINE3 No way to send a request leaves the tests of a project, and a green run prints no messages of the runtime", async () => {
    const { code, output } = await vitest({}, "offline.test");
    expect([code, output]).toEqual([0, expect.stringMatching(/Tests .*\d passed/)]);
    expect(outside.connections).toEqual([]);
    expect(output).not.toMatch(/exception|stack:|Sourcemap for/);
  });

  it("OFFLINE3 A raw socket of a tool reaches no server, and fails the run", async () => {
    const { code, output } = await vitest({}, "socket.test");
    expect([code, output]).toEqual([1, expect.stringMatching(/The code under test opened a socket .*network: true/)]);
    expect(outside.connections).toEqual([]);
  });

  it("OFFLINE5 With the option network, requests to the listed host are sent, and no others", async () => {
    const { code, output } = await vitest({ NETWORK: new URL(outside.url).host }, "online.test");
    expect([code, output]).toEqual([0, expect.stringMatching(/Tests .*\d passed/)]);
    expect(output).not.toMatch(/exception|stack:|Sourcemap for/);
    const requests = outside.connections.filter((line) => line !== "a connection");
    expect(requests).toEqual(["fetch?key=secret", "captured", "state", "node_http"].map((name) => `GET /${name}`));
  });
});

/** A server that records each connection and answers each request. */
async function countingServer(): Promise<typeof result> {
  const connections: string[] = [];
  const server = createServer((request, response) => {
    connections.push(`${String(request.method)} ${String(request.url)}`);
    response.end("Outside");
  });
  server.on("connection", () => connections.push("a connection"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const result = { server, connections, url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}` };
  return result;
}
