// Runs the dev server with a temporary state folder, for scripts that need a server.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { fromRoot } from "./paths.mjs";
import { nextFreePort } from "./supervised-group.mjs";

/**
 * @param {string[]} [args] for the dev command
 * @returns {Promise<{ url: string, startedIn: number, restart: () => Promise<number>, stop: () => Promise<void> }>}
 */
export async function startTemporaryServer(args = []) {
  const folder = mkdtempSync(path.join(tmpdir(), "threadhold-server-"));
  const port = await nextFreePort(18_787);
  const url = `http://localhost:${port}`;
  let server = await start();

  async function start() {
    const begun = performance.now();
    const child = spawn(
      process.execPath,
      [fromRoot("scripts/dev.mjs"), "--port", String(port), "--persist-to", folder, ...args],
      { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, TYPE_CHECK: "off" } },
    );
    let output = "";
    const ended = new Promise((resolve) => child.on("close", resolve));
    await new Promise((resolve, reject) => {
      const read = (chunk) => {
        output += chunk;
        if (output.includes(`ready on ${url}`)) resolve(undefined);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      void ended.then(() => reject(new Error(`The server did not start:\n${output}`)));
    });
    return { child, ended, startedIn: performance.now() - begun };
  }

  async function end() {
    server.child.kill("SIGTERM");
    await server.ended;
  }

  return {
    url,
    startedIn: server.startedIn,
    async restart() {
      await end();
      server = await start();
      return server.startedIn;
    },
    async stop() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
