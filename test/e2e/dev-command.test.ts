// The dev command as a process: one line says it is ready, one server owns a state folder, and whatever ends it, nothing
// of it stays behind to hold the port or the files.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { isPortFree, nextFreePort } from "../../scripts/lib/free-port.mjs";
import { type DevServer, runDevCommand, startDevServer } from "./dev-server.ts";

const portOf = (server: DevServer): number => Number(new URL(server.url).port);

describe("npm run dev", () => {
  let state = "";
  const servers: DevServer[] = [];

  async function start(...args: string[]): Promise<DevServer> {
    const server = await startDevServer(state, args);
    servers.push(server);
    return server;
  }

  beforeEach(() => {
    state = mkdtempSync(path.join(tmpdir(), "threadhold-dev-"));
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop("SIGTERM")));
    rmSync(state, { recursive: true, force: true });
  });

  it("The dev command serves, reports once that it is ready, and hides wrangler's output", async () => {
    const server = await start();
    const health = await fetch(`${server.url}/healthz`);
    expect(health.status).toBe(200);
    expect(server.output().match(/Threadhold is ready on/g)).toHaveLength(1);
    expect(server.output()).not.toMatch(/⎔|\[wrangler:info\]/);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)(
    "The dev command frees its port and its state folder after %s",
    async (signal) => {
      const server = await start();
      await server.stop(signal);
      await expect.poll(() => isPortFree(portOf(server)), { timeout: 10_000 }).toBe(true);
      // The same folder serves again: its lock was released or taken over.
      const again = await start();
      expect((await fetch(`${again.url}/healthz`)).status).toBe(200);
    },
  );

  it("The dev command gives a state folder to one server only", async () => {
    const first = await start();
    const second = runDevCommand(["--persist-to", state]);
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`Another server (pid ${first.process.pid}) uses ${state}`);
  });

  it("The dev command refuses a given port that is taken", async () => {
    const first = await start();
    const other = runDevCommand(["--persist-to", path.join(state, "other"), "--port", String(portOf(first))]);
    expect(await other.ended).toBe(1);
    expect(other.output()).toContain(`Port ${portOf(first)} is taken`);
  });

  it("The dev command serves with wrangler's inspector if it is asked for", async () => {
    const port = String(await nextFreePort(41_000 + (process.pid % 4_000)));
    await start("--inspect", "--inspector-port", port);
    const targets = await fetch(`http://127.0.0.1:${port}/json`);
    expect(await targets.json()).toMatchObject([{ webSocketDebuggerUrl: expect.stringContaining("ws") }]);
  });

  it("The dev command shows its options without starting anything", async () => {
    const command = runDevCommand(["--help"]);
    expect(await command.ended).toBe(0);
    expect(command.output()).toContain("--persist-to DIR");
  });
});
