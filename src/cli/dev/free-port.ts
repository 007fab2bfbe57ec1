// Finds a free port. "localhost" may mean IPv4 or IPv6, so a port counts as free only if it is free on both.

import { createServer } from "node:net";

import { CommandError } from "../context.ts";

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code !== "EADDRINUSE" && error.code !== "EACCES"),
    );
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Whether a port is free on both loopback addresses of this machine, 127.0.0.1 and ::1. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await canListen(port, "127.0.0.1")) && (await canListen(port, "::1"));
}

/** The first free port from `first` on. Throws an error if `attempts` ports are taken. */
export async function nextFreePort(first: number, attempts = 100): Promise<number> {
  for (let port = first; port < Math.min(first + attempts, 65_536); port++) if (await isPortFree(port)) return port;
  throw new CommandError(`No free port from ${String(first)} on; give one with --port.`);
}
