// The client of a thread's WebSocket: one that stays open over many runs, reads JSON as the SSE client does, and acknowledges.

import WebSocket from "ws";

import { now } from "./now.mjs";

/** The number of UTF-16 units after which an acknowledgement is sent. */
const acknowledgeAfter = 64 * 1024;

/**
 * @param {string} url of the thread
 * @returns {Promise<{ answer: (post: () => Promise<unknown>) => Promise<import("./stream-client.mjs").Answered>, close: () => void }>}
 * `answer` calls `post` and reads until the run that the post starts has ended.
 */
export async function openSocket(url) {
  const socket = new WebSocket(`${url.replace("http", "ws")}/stream`);
  // The first event is acknowledged at once.
  let unacknowledged = acknowledgeAfter;
  let take = (_event) => {};
  let fail = (_error) => {};
  socket.on("message", (data) => {
    const text = /** @type {Buffer} */ (data).toString("utf8");
    const event = JSON.parse(text);
    unacknowledged += text.length;
    if (unacknowledged >= acknowledgeAfter || event.type === "run_end") {
      unacknowledged = 0;
      socket.send(JSON.stringify({ type: "ack", seq: event.seq }));
    }
    take(event);
  });
  socket.on("close", () => fail(new Error("The socket was closed.")));
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return {
    async answer(post) {
      let first = Number.NaN;
      let text = "";
      let events = 0;
      const ended = new Promise((resolve, reject) => {
        fail = reject;
        take = (event) => {
          events += 1;
          if (event.type === "text_delta") {
            if (text === "") first = now();
            text += event.delta;
          } else if (event.type === "run_end") resolve(now());
        };
      });
      const sent = now();
      const [end] = await Promise.all([ended, post()]);
      return { sent, first, ended: end, text, events };
    },
    close: () => socket.close(),
  };
}
