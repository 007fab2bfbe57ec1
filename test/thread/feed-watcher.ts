// Watches a feed's object the way `http` does. Everything waits for frames, never for time.

import { env } from "cloudflare:workers";

import { feedEventSchema } from "#contract/feed.ts";
import type { FeedEvent } from "#contract/feed.ts";
import { feedName, ownerField } from "#core/rpc/feed-rpc.ts";
import type { FeedStub } from "#core/rpc/feed-rpc.ts";

import { reportWait } from "./open-waits.ts";

/** The stub of an owner's feed, a new one each time. */
export function feedOf(owner: string | null): FeedStub {
  return env.FEEDS.get(env.FEEDS.idFromName(feedName(owner))) as unknown as FeedStub;
}

/** An owner that no other test uses. */
export function newOwner(): string {
  return `owner ${crypto.randomUUID()}`;
}

/** An open watch. */
export interface Watching {
  events: FeedEvent[];
  socket: WebSocket;
  /** Resolves with the first fitting frame after those that were waited for earlier. */
  until(fits: (event: FeedEvent) => boolean): Promise<FeedEvent>;
  /** Resolves with the close code. */
  closed: Promise<number>;
  /** The received messages in short: `updated running`, `deleted`. */
  emitted(): string[];
}

/** The response to an upgrade. */
export function upgradeOf(owner: string | null): Promise<Response> {
  const url = `https://feed/watch?${new URLSearchParams({ [ownerField]: JSON.stringify(owner) }).toString()}`;
  return feedOf(owner).fetch(new Request(url, { headers: { upgrade: "websocket" } }));
}

/** Watches an owner's feed. Acknowledges every frame unless `acknowledges` is false. */
export async function watch(owner: string | null, { acknowledges = true } = {}): Promise<Watching> {
  const response = await upgradeOf(owner);
  const socket = response.webSocket;
  if (socket === null) throw new Error(`no socket: ${response.status} ${await response.text()}`);
  const events: FeedEvent[] = [];
  const waiting = new Set<() => void>();
  let at = 0;
  socket.addEventListener("message", ({ data }) => {
    if (data === "pong") return;
    // The schema is strict: a frame has the fields of the contract and no others.
    const event = feedEventSchema.parse(JSON.parse(String(data)));
    if (event.seq <= (events.at(-1)?.seq ?? 0)) throw new Error("frames are out of order");
    events.push(event);
    if (acknowledges) socket.send(JSON.stringify({ type: "ack", seq: event.seq }));
    for (const wake of waiting) wake();
  });
  const closed = new Promise<number>((resolve) => {
    socket.addEventListener("close", ({ code }) => {
      resolve(code);
      socket.close();
    });
  });
  socket.accept();
  return {
    events,
    socket,
    closed,
    until: (fits) => {
      const fitting = new Promise<FeedEvent>((resolve) => {
        const look = (): void => {
          const found = events.findIndex((event, index) => index >= at && fits(event));
          const event = events[found];
          if (event === undefined) return;
          at = found + 1;
          waiting.delete(look);
          resolve(event);
        };
        waiting.add(look);
        look();
      });
      return reportWait(fitting, { what: `a frame of the feed: ${String(fits)}`, events });
    },
    emitted: () => events.map(inShort),
  };
}

function inShort(event: FeedEvent): string {
  switch (event.type) {
    case "feed_start":
      return "start";
    case "thread_deleted":
      return "deleted";
    default:
      return `${event.type.replace("thread_", "")} ${event.thread.status}`;
  }
}

/** Resolves with the message that reports the thread with this status. */
export function withStatus(status: string): (event: FeedEvent) => boolean {
  return (event) => "thread" in event && event.thread.status === status;
}
