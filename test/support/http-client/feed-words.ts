// Subscribes to the feed of an owner's threads over the network, with either transport, and checks each frame against
// the contract.

import { createParser } from "eventsource-parser";
import WebSocket from "ws";

import { feedEventSchema } from "#contract/feed.ts";
import type { FeedEvent } from "#contract/feed.ts";

import { timeoutMs, within } from "./deadline.ts";
import { UpgradeRefused } from "./socket-feed.ts";

/** The messages that a subscriber of the feed received. */
export class FeedWords {
  readonly words: FeedEvent[] = [];
  readonly #watchers = new Set<() => void>();
  readonly #leave: () => void;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  take(text: string): FeedEvent {
    const word = feedEventSchema.parse(JSON.parse(text));
    this.words.push(word);
    for (const look of this.#watchers) look();
    return word;
  }

  /** Resolves with the first message that fits. */
  until(what: string, fits: (word: FeedEvent) => boolean): Promise<FeedEvent> {
    const found = new Promise<FeedEvent>((resolve) => {
      const look = (): void => {
        const word = this.words.find(fits);
        if (word === undefined) return;
        this.#watchers.delete(look);
        resolve(word);
      };
      this.#watchers.add(look);
      look();
    });
    return within(timeoutMs, what, found);
  }

  leave(): void {
    this.#leave();
  }
}

/** Subscribes over a WebSocket. Rejects with `UpgradeRefused`. */
export async function watchBySocket(url: string, headers: Record<string, string> = {}): Promise<FeedWords> {
  const socket = new WebSocket(url.replace(/^http/, "ws"), { headers });
  const feed = new FeedWords(() => socket.close());
  socket.on("message", (data: Buffer) => {
    const { seq } = feed.take(data.toString("utf8"));
    socket.send(JSON.stringify({ type: "ack", seq }));
  });
  const opened = new Promise<FeedWords>((resolve, reject) => {
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

/** Subscribes over server-sent events. */
export async function watchBySse(url: string, headers: Record<string, string> = {}): Promise<FeedWords> {
  const leave = new AbortController();
  const response = await fetch(url, { headers, signal: leave.signal });
  if (response.status !== 200) throw new UpgradeRefused(response.status, await response.text());
  const feed = new FeedWords(() => leave.abort());
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      const { type } = feed.take(data);
      if (id !== undefined || event !== type) throw new Error(`A frame of ${type} is called ${String(event)}`);
    },
  });
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) parser.feed(decoder.decode(piece as Uint8Array, { stream: true }));
  };
  read().catch(() => undefined);
  return feed;
}
