// The servers of tools for tests of programs: MCP servers in a process of their own, and an API on the loopback.

import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

import { onTestFinished } from "vitest";

import { root } from "../../../scripts/documents.ts";
import { startApiServer } from "../../../support/api-server/server.mjs";

/** The program of the public MCP server over stdio, and one that misbehaves in the way of its first argument. */
export const everything = path.join(root, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
export const misbehaving = path.join(root, "test/support/stdio-server/main.mjs");

/** Starts the MCP servers of test/support/mcp-server. Returns their address, and ends them. */
export async function startMcpServers(): Promise<{ url: string; host: string; stop: () => Promise<void> }> {
  const program = path.join(root, "test/support/mcp-server/main.mjs");
  const server = fork(program, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const [started] = (await once(server, "message")) as [{ url: string }];
  const ended = once(server, "exit");
  const stop = async () => {
    server.disconnect();
    await ended;
  };
  return { url: started.url, host: new URL(started.url).host, stop };
}

/** An API that returns its requests. It is closed after the test. */
export async function echoApi() {
  const server = await startApiServer();
  onTestFinished(() => server.close());
  const base = `${server.url}/scope`;
  return {
    host: new URL(server.url).host,
    baseUrl: `${base}/api`,
    /** Stores a document at an address, and returns the address. */
    publish: async (text: string): Promise<string> => {
      await fetch(`${base}/document`, { method: "PUT", body: text });
      return `${base}/document`;
    },
    /** The requests that the API received. */
    requests: async (): Promise<string[]> => (await fetch(`${base}/requests`)).json() as Promise<string[]>,
    publicDocument: async (name: string): Promise<string> => (await fetch(`${base}/public/${name}`)).text(),
  };
}
