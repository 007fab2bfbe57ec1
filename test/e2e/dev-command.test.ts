// The dev command as a process: one line reports that it is ready, one server at a time uses a state folder, and
// however the command ends, no process of it remains that uses the port or the files.

import path from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { isPortFree, nextFreePort } from "#cli/dev/free-port.ts";

import { type DevServer, runDevCommand, startDevServer } from "./dev-server.ts";
import { copyProject } from "./support/project-copy.ts";
import { storeBundle } from "./support/served-bundle.ts";

const portOf = (server: DevServer): number => Number(new URL(server.url).port);

/**
 * One state folder for all tests. Each test leaves a running server that the next test uses, because a start takes five
 * processor seconds. All servers after the first one serve a stored bundle.
 */
describe("npm run dev", () => {
  const project = copyProject();
  // Without migrations, which the first server applies.
  const state = path.join(project.root, "state");
  let storedBundle = false;
  let server: DevServer | undefined;

  /** The server of the previous test, or a new one. */
  async function running(...args: string[]): Promise<DevServer> {
    if (server !== undefined) return server;
    server = await startDevServer(state, args, { root: project.root, storedBundle });
    if (!storedBundle) storeBundle(project.root);
    storedBundle = true;
    return server;
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    const ending = server;
    server = undefined;
    await ending?.stop(signal);
  }

  afterAll(async () => {
    await stop("SIGTERM");
    project.remove();
  });

  it("The dev command serves, reports once that it is ready, and hides wrangler's output", async () => {
    const { url, output } = await running();
    const health = await fetch(`${url}/healthz`);
    expect(health.status).toBe(200);
    expect(output().match(/Threadhold is ready on/g)).toHaveLength(1);
    expect(output()).not.toMatch(/⎔|\[wrangler:info\]/);
  });

  it("The dev command gives a state folder to one server only", async () => {
    const first = await running();
    const second = runDevCommand(["--persist-to", state], project.root);
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`Another server (pid ${first.process.pid}) uses ${state}`);
  });

  it("The dev command refuses a given port that is taken", async () => {
    const first = await running();
    const options = ["--persist-to", path.join(state, "other"), "--port", String(portOf(first))];
    const other = runDevCommand(options, project.root);
    expect(await other.ended).toBe(1);
    expect(other.output()).toContain(`Port ${portOf(first)} is taken`);
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)(
    "The dev command frees its port and its state folder after %s",
    async (signal) => {
      const first = await running();
      await stop(signal);
      await expect.poll(() => isPortFree(portOf(first))).toBe(true);
      // The same folder serves again: its lock was released or taken over.
      const again = await running();
      expect(again.process.pid).not.toBe(first.process.pid);
      expect((await fetch(`${again.url}/healthz`)).status).toBe(200);
    },
  );

  it("The dev command serves with wrangler's inspector if the option --inspect is set", async () => {
    await stop("SIGTERM");
    const port = String(await nextFreePort(31_000 + (process.pid % 1_700)));
    await running("--inspect", "--inspector-port", port);
    const targets = await fetch(`http://127.0.0.1:${port}/json`);
    expect(await targets.json()).toMatchObject([{ webSocketDebuggerUrl: expect.stringContaining("ws") }]);
  });

  it("The dev command shows its options without starting anything", async () => {
    const command = runDevCommand(["--help"]);
    expect(await command.ended).toBe(0);
    expect(command.output()).toContain("--persist-to <folder>");
  });
});
