// Waits for a server to answer its health check.

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
      // By another name than a loopback one the open mode refuses even this, which is an answer all the same.
      if (answer.ok || body.includes("auth_not_configured")) return true;
    } catch {
      // Not listening yet, or still busy building: ask again.
    }
    await delay(100, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
