// Measures Threadhold and the floor in one workerd, alternately and by one client, so that other load on the machine affects both. A
// round measures each way once, and each round begins with another way. Between two measurements, requests that use no object keep the
// connections warm and give the background work of the measurement before time to finish.

import { setTimeout as sleep } from "node:timers/promises";

import { workerdProcessor } from "./processor-time.mjs";
import { startProvider } from "./provider.mjs";
import { startRuntime } from "./runtime.mjs";
import { deltaOfProvider, deltaOfThread, get, post, readAnswer } from "./stream-client.mjs";

/** Requests between two measurements. */
const settling = 12;

/** Milliseconds after an answer in which work in the background, such as the catalog's, is counted to its processor time. */
export const afterwardsMs = 40;

/** Rounds that warm up and are not counted. */
const warmUp = 15;

/**
 * @typedef {import("./stream-client.mjs").Answered & { exchanges: import("./provider.mjs").Exchange[], processor: number }} Measured
 * An answer as the client received it, with the provider's records, and workerd's milliseconds of processor time for it.
 */

/** @returns {Promise<{ url: string, provider: Awaited<ReturnType<typeof startProvider>>, stop: () => Promise<void> }>} */
export async function startContest() {
  const provider = await startProvider();
  try {
    const runtime = await startRuntime({
      OPENAI_API_KEY: "sk-bench-0123456789abcdef",
      OPENAI_BASE_URL: `${provider.url}/v1`,
    });
    const stop = async () => {
      await runtime.stop();
      provider.stop();
    };
    return { url: runtime.url, provider, stop };
  } catch (error) {
    provider.stop();
    throw error;
  }
}

/** Creates a thread of an agent and returns its URL. */
export async function newThread(url, agent) {
  const { id } = await post(`${url}/api/threads`, { agent_id: agent });
  return `${url}/api/threads/${id}`;
}

const content = "Go on.";

/**
 * Requests the floor, which passes on the provider's bytes, writes each chunk, or reads them by the provider's package. `sent` overrides its
 * messages, and `object` is the name of its object.
 */
export const askFloor =
  (url, model, way, sent = {}, object = way) =>
  () =>
    readAnswer(`${url}/floor/${object}`, { model, way, content, count: 1, ...sent }, deltaOfProvider);

/** Requests a thread over SSE: the response to the post is the stream. */
export const askThread = (thread) => () => readAnswer(`${thread}/messages`, { content }, deltaOfThread);

/** Requests a thread over an open socket. */
export const askSocket = (thread, socket) => () => socket.answer(() => post(`${thread}/messages`, { content }));

/**
 * Requests an answer by each way once in each round.
 * @template {string} W
 * @param {Record<W, () => Promise<import("./stream-client.mjs").Answered>>} ways
 * @param {{ url: string, rounds: number, text?: string, exchanges: (way: W) => Promise<import("./provider.mjs").Exchange[]> }} how
 * `text`: what every answer has to be.
 * @returns {Promise<Record<W, Measured[]>>}
 */
export async function contest(ways, { url, rounds, text, exchanges }) {
  const names = /** @type {W[]} */ (Object.keys(ways));
  const measured = /** @type {Record<W, Measured[]>} */ (Object.fromEntries(names.map((name) => [name, []])));
  const processor = workerdProcessor() ?? (() => 0);
  for (let round = 0; round < warmUp + rounds; round++) {
    for (let at = 0; at < names.length; at++) {
      const name = names[(round + at) % names.length] ?? names[0];
      if (name === undefined) continue;
      for (let passed = 0; passed < settling; passed++) await get(`${url}/healthz`);
      const before = processor();
      const answered = await ways[name]();
      await sleep(afterwardsMs);
      const spent = processor() - before;
      if (text !== undefined && answered.text !== text) throw new Error(`${name} lost or changed text.`);
      const noted = await exchanges(name);
      if (round >= warmUp) measured[name].push({ ...answered, exchanges: noted, processor: spent });
    }
  }
  return measured;
}
