// The cases that the server can answer: the fixtures of this repository and, if a folder of recorded answers is named,
// those. The model of a request selects a case: `case:<name>` or `recorded:<wire>:<number>`.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { framesOfEvents } from "./event-frames.mjs";

/**
 * @typedef {{ status: number, headers: Record<string, string>, body: Uint8Array }} Answer
 * @typedef {{ model: string, wire: string, id: string, path: string, status: number, headers: Record<string, string>, expected: unknown }} Recorded
 */

const fixtures = fileURLToPath(new URL("../../fixtures/providers", import.meta.url));

/** The types of AWS's refusals by their status. @type {Record<number, string>} */
const awsTypes = {
  400: "ValidationException",
  401: "UnrecognizedClientException",
  413: "ValidationException",
  429: "ThrottlingException",
  503: "ServiceUnavailableException",
};

/**
 * The fixture of a provider: `<name>.sse`, or `<name>.<status>.body` for a refusal. A 429 asks to wait seven seconds.
 * @param {string} provider
 * @param {string} name
 * @returns {Answer | null}
 */
export function fixtureAnswer(provider, name) {
  const folder = join(fixtures, provider);
  const wanted = name.replace(new RegExp(`^${provider}-`), "");
  const file = readdirSync(folder).find((entry) => entry.split(".")[0] === wanted);
  if (file === undefined) return null;
  const body = readFileSync(join(folder, file));
  if (file.endsWith(".sse") && provider === "bedrock") {
    const headers = { "content-type": "application/vnd.amazon.eventstream" };
    return { status: 200, headers, body: framesOfEvents(body.toString()) };
  }
  if (file.endsWith(".sse")) return { status: 200, headers: { "content-type": "text/event-stream" }, body };
  const status = Number(file.split(".")[1]);
  /** @type {Record<string, string>} */
  const headers = { "content-type": "application/json" };
  if (provider === "bedrock") headers["x-amzn-errortype"] = `${awsTypes[status]}:http://internal.amazon.com/coral/`;
  if (status === 429) headers["retry-after"] = "7";
  return { status, headers, body };
}

/**
 * The stream of a fixture as text; null for a fixture that is no stream.
 * @param {string} provider
 * @param {string} name
 * @returns {Answer | null}
 */
export function textAnswer(provider, name) {
  const file = join(fixtures, provider, `${name}.sse`);
  return existsSync(file)
    ? { status: 200, headers: { "content-type": "text/event-stream" }, body: readFileSync(file) }
    : null;
}

/**
 * The names of the streams among the fixtures, by provider.
 * @returns {Record<string, string[]>}
 */
export function listStreams() {
  const names = (/** @type {string} */ folder) =>
    readdirSync(join(fixtures, folder))
      .filter((file) => file.endsWith(".sse"))
      .map((file) => file.slice(0, -".sse".length));
  return Object.fromEntries(readdirSync(fixtures).map((folder) => [folder, names(folder)]));
}

/**
 * Every recorded stream below a folder laid out as `<wire>/stream/<case>/`; none when no folder is named.
 * @param {string | null} folder
 * @returns {Recorded[]}
 */
export function listRecorded(folder) {
  if (folder === null) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: wire }) => {
      const stream = join(folder, wire, "stream");
      return readdirSync(stream)
        .toSorted()
        .map((id, number) => {
          const { response } = JSON.parse(readFileSync(join(stream, id, "case.json"), "utf8"));
          return {
            model: `recorded:${wire}:${number}`,
            wire,
            id,
            path: join(stream, id, response.bodyFile),
            status: response.status,
            headers: response.headers,
            expected: JSON.parse(readFileSync(join(stream, id, "expected.json"), "utf8")),
          };
        });
    });
}

/**
 * @param {Recorded} recorded
 * @returns {Answer}
 */
export function recordedAnswer({ path, status, headers }) {
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  return { status, headers: { "content-type": type ?? "text/event-stream" }, body: readFileSync(path) };
}

/**
 * The recorded refusals, from `errors.json` in the same folder; none when there is no such file.
 * @param {string | null} folder
 * @returns {unknown[]}
 */
export function listRecordedErrors(folder) {
  const file = folder === null ? null : join(folder, "errors.json");
  return file !== null && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
}
