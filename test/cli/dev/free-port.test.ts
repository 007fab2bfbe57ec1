// A port on which a program listens is never chosen.

import { createServer, type Server } from "node:net";

import { afterEach, expect, it } from "vitest";

import { CommandError } from "#cli/context.ts";
import { isPortFree, nextFreePort } from "#cli/dev/free-port.ts";

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

function listen(host: string): Promise<number> {
  const server = createServer();
  servers.push(server);
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, host, () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error("no port"));
      else resolve(address.port);
    });
  });
}

it("The search for a free port skips a port with a listener", async () => {
  const port = await listen("127.0.0.1");
  expect(await isPortFree(port)).toBe(false);
  expect(await nextFreePort(port)).toBeGreaterThan(port);
});

it("The search for a free port throws an error if no port is free", async () => {
  const port = await listen("127.0.0.1");
  const refusal = nextFreePort(port, 1);
  await expect(refusal).rejects.toThrow("--port");
  await expect(refusal).rejects.toThrow(CommandError);
});
