// Subscriptions over a WebSocket: tickets, acknowledgements, pings, and the meaning of close codes.

import type { AddressInfo } from "node:net";

import { afterEach, describe, expect, it } from "vitest";
import WebSocket, { WebSocketServer } from "ws";

import { socketCarrier } from "#client/follow/socket-carrier.ts";
import { threadStream } from "#client/follow/stream.ts";
import type { ClientOptions } from "#client/index.ts";
import { deferred } from "#lib/deferred.ts";

import { openAnsweringServer, refusal } from "./support/answering-server.ts";
import type { PlannedAnswer } from "./support/answering-server.ts";
import { notingSink } from "./support/noting-sink.ts";
import { openRequests } from "./support/open-requests.ts";
import { threadId } from "./support/records.ts";

const open: { close: () => void }[] = [];
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

/** A carrier whose socket is connected to a server of the test, whatever its address. */
async function carried(options: ClientOptions & { answer?: PlannedAnswer; after?: number } = {}) {
  const { answer = { json: { ticket: "a-ticket", expires_at: 1 } }, after = null, ...more } = options;
  const http = await openAnsweringServer([answer]);
  const sockets = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  open.push({ close: () => void http.close() }, sockets);
  await new Promise((resolve) => sockets.on("listening", resolve));
  const { port } = sockets.address() as AddressInfo;
  const accepted = deferred<WebSocket>();
  const received: string[] = [];
  const addresses: string[] = [];
  let arrival = deferred<void>();
  sockets.on("connection", (socket) => {
    socket.on("message", (data: Buffer) => {
      received.push(data.toString("utf8"));
      arrival.resolve();
      arrival = deferred();
    });
    accepted.resolve(socket);
  });
  class LedSocket extends WebSocket {
    constructor(url: string) {
      super(`ws://127.0.0.1:${String(port)}`);
      addresses.push(url);
    }
  }
  const { requests, time } = openRequests({ url: http.url, ...more });
  const sink = notingSink();
  const carrying = socketCarrier(LedSocket)({ requests, stream: threadStream(threadId), after }, sink);
  const until = async (count: number): Promise<void> => {
    while (received.length < count) await arrival.promise;
  };
  return { http, sink, time, carrying, accepted: accepted.promise, received, until, addresses };
}

const event = (seq: number, padding = ""): string =>
  JSON.stringify({ type: "custom", seq, thread_id: threadId, at: 1, name: "x", data: padding });

describe("a socket", () => {
  it("A socket requests the events after the last received one, with a ticket for its path if the client has a token", async () => {
    const first = await carried({ token: "anna-secret", after: 7 });
    await first.sink.until("opened");
    const path = `/api/~/threads/${threadId}/stream`;
    expect(first.http.observed).toMatchObject([{ url: "/api/~/tickets", body: JSON.stringify({ path }) }]);
    const base = first.http.url.replace("http", "ws");
    expect(first.addresses).toEqual([`${base}${path}?after=7&ticket=a-ticket`]);
    const second = await carried();
    await second.sink.until("opened");
    expect(second.http.observed).toEqual([]);
    expect(second.addresses).toEqual([`${second.http.url.replace("http", "ws")}${path}`]);
  });

  it("A socket acknowledges received events: the first one and 64 KiB at once, others after a second", async () => {
    const { sink, accepted, received, until, time } = await carried();
    const socket = await accepted;
    socket.send(event(1));
    await until(1);
    socket.send(event(2));
    await sink.until(2);
    time.advance(999);
    expect(received).toEqual(['{"type":"ack","seq":1}']);
    time.advance(1);
    await until(2);
    socket.send(event(3, "x".repeat(70_000)));
    await until(3);
    expect(received).toEqual([1, 2, 3].map((seq) => `{"type":"ack","seq":${seq}}`));
  });

  it("A socket without messages is sent a ping, and counts as lost when no answer arrives", async () => {
    const { sink, accepted, received, until, time } = await carried();
    const socket = await accepted;
    await sink.until("opened");
    time.advance(25_000);
    await until(1);
    expect(received).toEqual(["ping"]);
    socket.send("pong");
    socket.send(event(1));
    await sink.until(1);
    time.advance(24_999);
    expect(sink.emitted).toEqual(["opened", 1]);
    time.advance(1);
    await until(3);
    time.advance(10_000);
    expect(await sink.end).toMatchObject({ message: expect.stringMatching(/silent/) });
    expect(sink.emitted).toEqual(["opened", 1, "lost"]);
  });

  it.each([
    [4401, "unauthorized", "refused"],
    [4403, "forbidden", "refused"],
    [4404, "thread_not_found", "refused"],
    [4400, "invalid_request", "refused"],
    [4429, "rate_limited", "lost"],
    [4408, "network", "lost"],
    // The token has expired: the next socket is opened with the token that is current then.
    [4440, "network", "lost"],
    [1011, "network", "lost"],
    [1000, "network", "lost"],
  ])("A socket that closes with %i has the error %s, and its connection is %s", async (status, code, what) => {
    const { sink, accepted } = await carried();
    (await accepted).close(status);
    expect(await sink.end).toMatchObject({ code });
    expect(sink.emitted.at(-1)).toBe(what);
  });

  it.each([
    [401, "unauthorized", "refused"],
    [503, "unavailable", "lost"],
    // A deployment that gives no tickets can be followed over SSE.
    [503, "auth_not_configured", "lost"],
  ])("A ticket request that is answered with %i %s makes the connection %s", async (status, code, what) => {
    const { sink, addresses } = await carried({ token: "anna-secret", answer: refusal(status, code) });
    await sink.end;
    expect([sink.emitted, addresses]).toEqual([[what], []]);
  });

  it("A frame that is no JSON, and a socket that cannot be made, count as a lost connection", async () => {
    const { sink, accepted } = await carried();
    (await accepted).send("{");
    expect(await sink.end).toMatchObject({ message: expect.stringMatching(/JSON/) });
    class Broken extends WebSocket {
      constructor() {
        super("nonsense:");
      }
    }
    const { requests } = openRequests();
    const other = notingSink();
    socketCarrier(Broken)({ requests, stream: threadStream(threadId), after: null }, other);
    await other.end;
    expect(other.emitted).toEqual(["lost"]);
  });

  it("If a subscription is closed while it handles an event, no timer remains", async () => {
    const { sink, accepted, carrying, time } = await carried();
    const socket = await accepted;
    await sink.until("opened");
    sink.event = () => carrying.close();
    const gone = new Promise((resolve) => socket.on("close", resolve));
    socket.send(event(1));
    await gone;
    expect(time.pending).toBe(0);
  });

  it("A closed subscription emits nothing more and closes its socket", async () => {
    const { sink, accepted, carrying, time } = await carried();
    const socket = await accepted;
    await sink.until("opened");
    const gone = new Promise((resolve) => socket.on("close", resolve));
    carrying.close();
    socket.send(event(1));
    await gone;
    expect([sink.emitted, time.pending]).toEqual([["opened"], 0]);
  });
});
