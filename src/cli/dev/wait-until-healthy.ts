// Waits until a server answers its health check.

import { setTimeout as delay } from "node:timers/promises";

import { anySignal } from "#lib/any-signal.ts";

/** Decides from a response whether the server is ready. */
type IsReady = (response: Response, body: string) => boolean;

/** Whether a response is that of the health check. */
export const isHealthCheck: IsReady = (response, body) => {
  // With a host name that is not a loopback name, the open mode refuses this request too, which proves that the server is running.
  if (body.includes("auth_not_configured")) return true;
  return response.ok && body.startsWith('{"status":"ok","version":');
};

/** Requests an address repeatedly until the server is ready. Returns false if the signal aborts first. */
export async function waitUntilHealthy(
  url: string,
  signal: AbortSignal,
  isReady: IsReady = isHealthCheck,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      const response = await fetch(url, { signal: anySignal([signal, AbortSignal.timeout(5000)]) });
      if (isReady(response, await response.text())) return true;
    } catch {
      // The server is not listening yet, or still building.
    }
    await delay(100, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
