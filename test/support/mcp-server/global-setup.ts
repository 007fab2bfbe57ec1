// Starts the MCP servers once for a whole test run, and provides their address: `inject("mcpServer")`. They have a process of their own,
// because the runner would replace the packages of this process by those of the Workers runtime.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the MCP servers. */
    mcpServer: string;
  }
}

let stop = async () => {};

/** Called by vitest before the first test. */
export async function setup(project: TestProject): Promise<void> {
  const program = fileURLToPath(new URL("main.mjs", import.meta.url));
  const server = fork(program, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const ended = once(server, "exit");
  stop = async () => {
    server.disconnect();
    await ended;
  };
  const [started] = (await Promise.race([once(server, "message"), ended])) as [{ url?: string } | number | null];
  if (typeof started !== "object" || started?.url === undefined) throw new Error("The MCP servers did not start.");
  project.provide("mcpServer", started.url);
}

/** Called by vitest after the last test. */
export async function teardown(): Promise<void> {
  await stop();
}
