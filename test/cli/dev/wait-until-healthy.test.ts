// The wait for a server that accepts connections before it responds to requests.

import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, expect, it } from "vitest";

import { waitUntilHealthy } from "#cli/dev/wait-until-healthy.ts";

import { collectGarbage } from "../../support/collect-garbage.ts";

let server: Server;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Starts a server that never answers its first requests. */
async function silentServer(unanswered: number): Promise<string> {
  let requests = 0;
  server = createServer((_request, response) => {
    requests += 1;
    if (requests > unanswered) response.end('{"status":"ok","version":"1.0.0"}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/healthz`;
}

it("A server is requested again after a request without a response, also if the garbage collector runs while it waits", async () => {
  const url = await silentServer(1);
  const healthy = waitUntilHealthy(url, new AbortController().signal);
  await once(server, "request");
  await collectGarbage();
  expect(await healthy).toBe(true);
});

it("The wait for a server that never answers ends when its signal is aborted", async () => {
  const url = await silentServer(Infinity);
  const stop = new AbortController();
  const healthy = waitUntilHealthy(url, stop.signal);
  await once(server, "request");
  stop.abort();
  expect(await healthy).toBe(false);
});
