// The client of every streamed answer: persistent connections, as many as answers at a time, a POST, and the same reading of SSE and JSON for every server.

import { Agent, request } from "node:http";

import { now } from "./now.mjs";

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** @typedef {{ type?: string, delta?: string, choices?: { delta: { content?: string } }[] }} StreamedEvent a provider's or a thread's */
/** @typedef {(event: StreamedEvent) => string} DeltaOf what an event adds to the text: "" for most */

/** @typedef {{ sent: number, first: number, ended: number, text: string, events: number }} Answered times of now.mjs */

/** @returns {Promise<import("node:http").IncomingMessage>} */
function send(url, body, accept) {
  const json = JSON.stringify(body);
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(json), accept };
  return new Promise((resolve, reject) => {
    request(url, { method: "POST", agent, headers }, resolve).on("error", reject).end(json);
  });
}

/** Sends a GET request and drops the response. @param {string} url */
export async function get(url) {
  const response = await new Promise((resolve, reject) => {
    request(url, { agent }, resolve).on("error", reject).end();
  });
  for await (const _ of response);
}

/**
 * Sends a POST request and returns the JSON of the response.
 * @param {string} url
 * @param {object} body
 */
export async function post(url, body) {
  const response = await send(url, body, "application/json");
  let text = "";
  for await (const piece of response.setEncoding("utf8")) text += piece;
  if ((response.statusCode ?? 500) >= 300) throw new Error(`${url} answered ${response.statusCode}: ${text}`);
  return JSON.parse(text);
}

/**
 * @param {string} url
 * @param {object} body
 * @param {DeltaOf} deltaOf
 * @returns {Promise<Answered>}
 */
export async function readAnswer(url, body, deltaOf) {
  const sent = now();
  const response = await send(url, body, "text/event-stream");
  let rest = "";
  let first = Number.NaN;
  let text = "";
  let events = 0;
  for await (const piece of response.setEncoding("utf8")) {
    const frames = `${rest}${piece}`.split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const [, data] = /^data: (.*)$/m.exec(frame) ?? [];
      if (data === undefined || data === "[DONE]") continue;
      const delta = deltaOf(JSON.parse(data));
      events += 1;
      if (delta !== "" && text === "") first = now();
      text += delta;
    }
  }
  const ended = now();
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}: ${rest}`);
  return { sent, first, ended, text, events };
}

/** @type {DeltaOf} */
export const deltaOfProvider = (event) => event.choices?.[0]?.delta.content ?? "";

/** @type {DeltaOf} */
export const deltaOfThread = (event) => (event.type === "text_delta" ? (event.delta ?? "") : "");
