// Starts the scripted provider and returns its records of each exchange.

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ model: string, arrived: number, written: number }} Exchange
 * Milliseconds of the clock in now.mjs: when the request had arrived, and when the last bytes of its answer were written to the socket.
 */

/**
 * @returns {Promise<{ url: string, exchanges: (count: number) => Promise<Exchange[]>, stop: () => void }>}
 * `exchanges` waits until there are `count` records, and returns and removes all.
 */
export async function startProvider() {
  const provider = fork(fileURLToPath(new URL("provider-process.mjs", import.meta.url)));
  /** @type {Exchange[]} */
  const noted = [];
  /** @type {Error | null} */
  let failure = null;
  let wake = () => {};
  const port = await new Promise((resolve, reject) => {
    provider.once("error", reject);
    provider.on("message", (message) => {
      if (message.type === "ready") resolve(message.port);
      else if (message.type === "exchange") noted.push(message.exchange);
      else failure = new Error(`The provider failed: ${message.message}`);
      wake();
    });
  });
  return {
    url: `http://127.0.0.1:${port}`,
    async exchanges(count) {
      while (noted.length < count && failure === null) {
        await new Promise((resolve) => {
          wake = () => resolve(undefined);
        });
      }
      if (failure !== null) throw failure;
      return noted.splice(0);
    },
    stop: () => provider.kill(),
  };
}
