// Reads a thread's WebSocket into a feed, and acknowledges as the contract requires of every reader.

import WebSocket from "ws";

import { createAcknowledger } from "#contract/acknowledger.ts";
import { platformTimers } from "#lib/timers.ts";

import { timeoutMs, within } from "./deadline.ts";
import { RecordedSubscription } from "./feed.ts";

/** An upgrade request that got another response. */
export class UpgradeRefused extends Error {
  readonly status: number;
  readonly text: string;

  constructor(status: number, text: string) {
    super(`The upgrade was answered with ${String(status)}: ${text}`);
    this.status = status;
    this.text = text;
  }
}

/** The feed of an open socket. Rejects with `UpgradeRefused`. */
export async function socketFeed(url: string, headers: Record<string, string> = {}): Promise<RecordedSubscription> {
  const socket = new WebSocket(url.replace(/^http/, "ws"), { headers });
  const feed = new RecordedSubscription(() => socket.close());
  const acknowledger = createAcknowledger(platformTimers, (seq) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "ack", seq }));
  });
  socket.on("message", (data: Buffer) => {
    const text = data.toString("utf8");
    if (text === '{"type":"end"}') feed.end("end");
    else feed.take(text);
    acknowledger.taken(feed.lastSeq, text.length);
  });
  socket.on("close", (code) => {
    acknowledger.stop();
    feed.end(`closed ${String(code)}`);
  });
  const opened = new Promise<RecordedSubscription>((resolve, reject) => {
    socket.once("open", () => resolve(feed));
    socket.once("error", reject);
    socket.once("unexpected-response", (_request, response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        reject(new UpgradeRefused(response.statusCode ?? 0, Buffer.concat(chunks).toString("utf8"))),
      );
    });
  });
  return within(timeoutMs, `an answer to the upgrade of ${url}`, opened);
}
