// Finds a free port. "localhost" may mean IPv4 or IPv6, so a port counts as free only if it is free on both.

import { createServer } from "node:net";

function canListen(port, host) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (/** @type {NodeJS.ErrnoException} */ error) =>
      resolve(error.code !== "EADDRINUSE" && error.code !== "EACCES"),
    );
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** @param {number} port */
export async function isPortFree(port) {
  return (await canListen(port, "127.0.0.1")) && (await canListen(port, "::1"));
}

/**
 * @param {number} first
 * @param {number} [attempts]
 * @returns {Promise<number>} the first free port from `first` on
 */
export async function nextFreePort(first, attempts = 100) {
  for (let port = first; port < Math.min(first + attempts, 65_536); port++) if (await isPortFree(port)) return port;
  throw new Error(`No free port from ${first} on; give one with --port.`);
}
