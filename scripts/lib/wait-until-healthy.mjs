// Waits until a server answers its health check.

import { setTimeout as delay } from "node:timers/promises";

/**
 * @param {string} url
 * @param {AbortSignal} signal ends the wait
 * @returns {Promise<boolean>} false if the signal came first
 */
export async function waitUntilHealthy(url, signal) {
  while (!signal.aborted) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(5000)]) });
      const body = await answer.text();
      // With a host name that is not a loopback name, the open mode refuses this request too, which proves that the server is running.
      if (answer.ok || body.includes("auth_not_configured")) return true;
    } catch {
      // The server is not listening yet, or still building.
    }
    await delay(100, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
