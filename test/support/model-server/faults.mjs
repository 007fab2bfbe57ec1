// Answers as servers, gateways and proxies change them. The header `x-server-fault` of a request names one. Those that change a stream of
// events are for protocols of events, and all others for every protocol.

import { gzipSync } from "node:zlib";

/** @typedef {import("./cases.mjs").Answer} Answer */

/**
 * @param {number} status
 * @param {string} type
 * @param {string} text
 * @param {Record<string, string>} [headers]
 * @returns {() => Answer}
 */
const instead =
  (status, type, text, headers = {}) =>
  () => ({ status, headers: { "content-type": type, ...headers }, body: Buffer.from(text) });

/**
 * @param {(text: string) => string} change
 * @returns {(answer: Answer) => Answer}
 */
const changed = (change) => (answer) => ({ ...answer, body: Buffer.from(change(Buffer.from(answer.body).toString())) });

/** The events of a stream, each with the empty line after it. @param {string} text */
const eventsOf = (text) => text.split(/(?<=\r?\n\r?\n)/);

/** A 429 with a header that asks to wait. @param {Record<string, string>} headers */
const busy = (headers) => instead(429, "application/json", '{"error":{"message":"Slow down."}}', headers);

const page = (/** @type {string} */ title) =>
  `<!doctype html><html><head><title>${title}</title></head><body><p>Ask your administrator.</p></body></html>`;

/** @type {Record<string, (answer: Answer) => Answer>} */
export const faults = {
  gzip: ({ headers, body, ...answer }) => ({
    ...answer,
    headers: { ...headers, "content-encoding": "gzip" },
    body: gzipSync(body),
  }),
  comments: changed((text) =>
    eventsOf(text)
      .map((event) => `: keep-alive\n\n${event}:\n\n`)
      .join(""),
  ),
  "windows line ends": changed((text) => text.replaceAll(/\r?\n/g, "\r\n")),
  "old line ends": changed((text) => text.replaceAll(/\r?\n/g, "\r")),
  "byte order mark": changed((text) => `\uFEFF${text}`),
  "empty lines": changed((text) => `\n\n\n${eventsOf(text).join("\n\n")}`),
  "other fields": changed((text) =>
    eventsOf(text)
      .map((event) => `id: 7\nretry: 10\n${event}`)
      .join(""),
  ),
  "broken event": changed((text) => {
    const [first = "", ...rest] = eventsOf(text);
    return [first, 'data: {"broken\n\n', ...rest].join("");
  }),
  "no content": instead(200, "text/event-stream", ""),
  "error document": instead(200, "application/json", '{"error":{"message":"The account is closed."}}'),
  page: instead(200, "text/html", page("Sign in")),
  "page of a proxy": instead(502, "text/html", page("502 Bad Gateway")),
  "refused key": instead(401, "application/json", '{"error":{"message":"The key is not valid."}}'),
  overloaded: instead(529, "application/json", '{"error":{"message":"Overloaded."}}'),
  "too large": instead(413, "application/json", ""),
  "busy for seconds": busy({ "retry-after": "7" }),
  "busy for a fraction": busy({ "retry-after": "0.5" }),
  "busy for milliseconds": busy({ "retry-after-ms": "1250" }),
  "busy until a date": busy({ "retry-after": "Mon, 21 Nov 2033 12:00:00 GMT" }),
  "busy until a past date": busy({ "retry-after": "Fri, 21 Nov 2025 12:00:00 GMT" }),
  "busy for days": busy({ "retry-after": "99999" }),
  "busy for a word": busy({ "retry-after": "soon" }),
  "busy without a time": busy({}),
};
