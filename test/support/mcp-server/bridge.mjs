// The bridge that docs/guide/mcp.md describes: mcp-proxy with the reference server over stdio. It is started when a test requests it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";

const bridge = fileURLToPath(new URL("bin/mcp-proxy.mjs", import.meta.resolve("mcp-proxy")));
const server = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));

/** Starts the bridge and resolves with the address of its endpoint once it accepts connections. */
export async function startBridge() {
  for (;;) {
    const port = await freePort();
    const options = ["--host", "127.0.0.1", "--port", String(port), "--", process.execPath, server, "stdio"];
    const child = spawn(process.execPath, [bridge, ...options], { stdio: "ignore" });
    process.on("exit", () => child.kill());
    // Another process may have taken the port meanwhile: the bridge then ends.
    if (await isListening(port, child)) return `http://127.0.0.1:${port}/mcp`;
  }
}

/** Whether the bridge answers on the port before it ends. */
async function isListening(port, child) {
  const ended = once(child, "exit").then(() => "ended");
  for (;;) {
    const answer = await Promise.race([
      fetch(`http://127.0.0.1:${port}/ping`).then(
        ({ ok }) => ok,
        () => false,
      ),
      ended,
    ]);
    if (answer === "ended") return false;
    if (answer === true) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
