// Subscriptions by server-sent events: text in any pieces, and how a stream ends.

import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";

import { openSse } from "#client/follow/sse-carrier.ts";
import { sseParser } from "#client/follow/sse-parser.ts";
import type { ServerSentEvent } from "#client/follow/sse-parser.ts";
import { threadStream } from "#client/follow/stream.ts";
import { ThreadholdClientError, ThreadholdNetworkError } from "#client/index.ts";

import { openAnsweringServer, refusal } from "./support/answering-server.ts";
import type { PlannedAnswer } from "./support/answering-server.ts";
import { notingSink } from "./support/noting-sink.ts";
import { openRequests } from "./support/open-requests.ts";
import { threadId } from "./support/records.ts";

const seed = Date.now() % 2 ** 31;

function parse(pieces: readonly string[]): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const take = sseParser((event) => events.push(event));
  for (const piece of pieces) take(piece);
  return events;
}

describe("the parser", () => {
  it("Server-sent events are parsed equally however their text is split into chunks, and with any line ends", () => {
    console.info(`seed ${String(seed)}`);
    const word = fc.string({ unit: fc.constantFrom("a", ":", " ", "é", "{", "漢"), maxLength: 6 });
    const emitted = fc.record({ id: fc.nat(99), lines: fc.array(word, { minLength: 1, maxLength: 3 }) });
    const ending = fc.constantFrom("\n", "\r\n", "\r");
    fc.assert(
      fc.property(fc.array(emitted, { maxLength: 5 }), ending, fc.array(fc.nat(200)), (events, end, cuts) => {
        const text = events
          .flatMap(({ id, lines }) => [
            `: comment`,
            `id: ${id}`,
            "event: x",
            ...lines.map((line) => `data: ${line}`),
            "",
          ])
          .map((line) => line + end)
          .join("");
        const places = [...new Set([0, ...cuts.map((cut) => cut % (text.length + 1)), text.length])];
        const sorted = places.toSorted((one, other) => one - other);
        const pieces = sorted.slice(1).map((to, at) => text.slice(sorted[at], to));
        const expected = events.map(({ id, lines }) => ({ id: String(id), name: "x", data: lines.join("\n") }));
        // A lone carriage return at the end may be half of a line end; the next character decides.
        expect(parse([...pieces, ": last"])).toEqual(expected);
      }),
      { seed, numRuns: 500 },
    );
  });
});

describe("the SSE connection", () => {
  const open: { close: () => Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((server) => server.close()));
  });

  const carried = async (answer: PlannedAnswer, after: number | null = null) => {
    const server = await openAnsweringServer([answer]);
    open.push(server);
    const { requests, time } = openRequests({ url: server.url, token: "anna-secret" });
    const sink = notingSink();
    const carrying = openSse({ requests, stream: threadStream(threadId), after }, sink);
    return { server, sink, time, carrying };
  };

  it("A stream of server-sent events sends the token in a header, requests the events after the last received one, and reports its end as a lost connection", async () => {
    const event = { type: "queue_changed", seq: 8, thread_id: threadId, at: 1, queued: [], prev: 7 };
    const text = `: heartbeat\n\nid: 8\nevent: queue_changed\ndata: ${JSON.stringify(event)}\n\n`;
    const { sink, server } = await carried({ text, headers: { "content-type": "text/event-stream" } }, 7);
    expect(await sink.end).toBeInstanceOf(ThreadholdNetworkError);
    expect(sink.emitted).toEqual(["opened", 8, "lost"]);
    expect(server.observed[0]).toMatchObject({ url: `/api/~/threads/${threadId}/events?after=7` });
    expect(server.observed[0]?.headers).toMatchObject({
      authorization: "Bearer anna-secret",
      accept: "text/event-stream",
    });
  });

  it.each([
    [401, "unauthorized", "refused"],
    [404, "thread_not_found", "refused"],
    [429, "rate_limited", "lost"],
    [503, "unavailable", "lost"],
    [500, "internal", "lost"],
  ])("A response with %i %s makes the connection %s", async (status, code, what) => {
    const { sink } = await carried(refusal(status, code, { "retry-after": "3" }));
    expect(await sink.end).toMatchObject({ code });
    expect(sink.emitted).toEqual([what]);
    if (what === "lost") expect(sink.delayMs).toBe(3000);
  });

  it.each([
    [429, "lost"],
    [500, "lost"],
    [502, "lost"],
    [520, "lost"],
    [524, "lost"],
    [530, "lost"],
    [404, "refused"],
    [302, "refused"],
  ])("An HTML page with the status %i in place of the API's response makes the connection %s", async (status, what) => {
    const { sink } = await carried({ status, text: "<h1>Something went wrong</h1>" });
    expect(await sink.end).toMatchObject({ code: "unexpected_answer" });
    expect(sink.emitted).toEqual([what]);
  });

  it("If a stream of server-sent events is closed while it opens, no timer remains", async () => {
    const server = await openAnsweringServer([{ text: ": heartbeat\n\n", headers: { "x-endless": "true" } }]);
    open.push(server);
    const { requests, time } = openRequests({ url: server.url });
    const opened = new Promise<void>((resolve) => {
      const sink = { ...notingSink(), opened: () => resolve(carrying.close()) };
      const carrying = openSse({ requests, stream: threadStream(threadId), after: null }, sink);
    });
    await opened;
    await server.left();
    expect(time.pending).toBe(0);
  });

  it("A thread_error frame without an event number ends the stream with the frame's error", async () => {
    const error = JSON.stringify({ type: "error", code: "thread_not_found", message: "It is gone." });
    const { sink } = await carried({ text: `event: thread_error\ndata: ${error}\n\n` });
    const end = await sink.end;
    expect(end).toBeInstanceOf(ThreadholdClientError);
    expect(end).toMatchObject({ code: "thread_not_found", message: "It is gone." });
    expect(sink.emitted).toEqual(["opened", "refused"]);
  });

  it("A stream that sends nothing for too long, at its beginning or later, counts as lost", async () => {
    const { sink, time, server } = await carried("silent");
    await server.came(1);
    time.advance(15_000);
    expect(await sink.end).toMatchObject({ message: expect.stringMatching(/No response/) });
    const event = { type: "queue_changed", seq: 8, thread_id: threadId, at: 1, queued: [], prev: 7 };
    const text = `data: ${JSON.stringify(event)}\n\n`;
    const streaming = await carried({ text, headers: { "x-endless": "true" } });
    // Data after this event would begin the silence again.
    await streaming.sink.until(8);
    streaming.time.advance(44_999);
    expect(streaming.sink.emitted).toEqual(["opened", 8]);
    streaming.time.advance(1);
    expect(await streaming.sink.end).toMatchObject({ message: expect.stringMatching(/silent/) });
  });

  it("A closed stream of server-sent events emits nothing more and ends its request", async () => {
    const { sink, carrying, server } = await carried({ text: ": heartbeat\n\n", headers: { "x-endless": "true" } });
    await sink.until("opened");
    carrying.close();
    await server.left();
    expect(sink.emitted).toEqual(["opened"]);
  });
});
