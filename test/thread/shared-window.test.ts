// The memory that the readers of one thread use together, counted as frames that were sent and not acknowledged.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import type { PlainEvent, ThreadEvent } from "#contract/event.ts";
import { acknowledgeWindow, sharedWindowLimit, silentReaderMs } from "#contract/stream-limits.ts";
import type { ThreadRecord } from "#core/record/record.ts";
import { Broadcaster } from "#thread/reader/broadcaster.ts";
import { EventNumbers } from "#thread/reader/event-numbers.ts";
import type { EventFilter } from "#thread/reader/reader-cursor.ts";
import { Reader } from "#thread/reader/reader.ts";

import { ring } from "../worker/clock.ts";
import { SlowReader } from "./slow-reader.ts";
import { admin, evict, follow, message, newThread, stubOf, value } from "./thread-driver.ts";

/** The approximate number of characters of a large frame. */
const large = 1_500_000;

const filter: EventFilter = { types: null, depth: null, includeSilent: false, runId: null, untilIdle: false };

/** A socket that records what it is sent. */
class FakeSocket {
  readonly seqs: number[] = [];
  size = 0;
  code: number | null = null;

  send(text: string): void {
    this.size += text.length;
    this.seqs.push((JSON.parse(text) as ThreadEvent).seq);
  }

  close(code: number): void {
    this.code ??= code;
  }

  serializeAttachment(): void {}
  deserializeAttachment(): unknown {
    return null;
  }
}

/** A broadcaster with this many events of an idle thread, and its readers. */
function thread(events: number) {
  const timers: { ms: number; goOff: () => void }[] = [];
  const record = { last_seq: 0, seq_reserved: 1000 } as ThreadRecord;
  const emitted: PlainEvent[] = [];
  const broadcaster = new Broadcaster({
    threadId: "t",
    clock: {
      now: () => 0,
      sleep: () => Promise.resolve(),
      after(ms, goOff) {
        timers.push({ ms, goOff });
        return () => {};
      },
    },
    numbers: new EventNumbers(() => record, { afterCrash: false, reserve: () => {} }),
    replay: ({ after }) => ({
      events: emitted.filter(({ seq }) => seq > after).slice(0, 1),
      upTo: emitted.filter(({ seq }) => seq > after).length > 1 ? after + 1 : null,
      size: large,
      place: null,
    }),
    snapshot: () => ({ type: "snapshot", seq: emitted.length, data: "s".repeat(large) }) as unknown as ThreadEvent,
    idle: () => true,
    executing: () => false,
  });
  const tell = (data = "x".repeat(large)) => {
    const event = broadcaster.number({ type: "custom", name: "n", data });
    emitted.push(event);
    broadcaster.send(event);
  };
  for (let at = 0; at < events; at += 1) tell();
  const sockets: FakeSocket[] = [];
  const join = (after: number | null): Reader => {
    const socket = new FakeSocket();
    const reader = new Reader(socket, {
      filter,
      cursor: after ?? emitted.length,
      prev: after ?? 0,
      acknowledged: true,
    });
    sockets.push(socket);
    broadcaster.join(reader, after);
    return reader;
  };
  /** The bytes that readers hold beyond their own windows. */
  const sizes = () => sockets.reduce((sum, { size }) => sum + Math.max(0, size - acknowledgeWindow), 0);
  const pass = (ms: number) => {
    const due = timers.filter((timer) => timer.ms === ms);
    for (const timer of due) timers.splice(timers.indexOf(timer), 1);
    for (const { goOff } of due) goOff();
    return due.length;
  };
  return { broadcaster, tell, join, sockets, sizes, pass };
}

/**
 * The number of frames of this size that fill the shared window, each exceeding its reader's own; the last of them exceeds the shared
 * window too.
 */
const most = Math.ceil(sharedWindowLimit / (large + 100 - acknowledgeWindow));

describe("readers together", () => {
  it("READER14 Unacknowledged snapshots of all readers of a thread together stay within the shared window", () => {
    const { join, sizes, sockets } = thread(3);
    for (let at = 0; at < 30; at += 1) join(null);
    expect(sockets.filter(({ seqs }) => seqs.length > 0)).toHaveLength(most);
    expect(sizes()).toBeLessThan(sharedWindowLimit + large + 100);
  });

  it("READER14 Unacknowledged replays of all readers of a thread, with the parts that wait in memory, together stay within the shared window", () => {
    const { join, sizes, sockets } = thread(3);
    for (let at = 0; at < 30; at += 1) join(0);
    const withFrame = sockets.filter(({ seqs }) => seqs.length > 0);
    // A reader with a part of a replay holds the part and the excess of one frame. Parts fill at most half of the window.
    const kept = Math.floor(sharedWindowLimit / 2 / (2 * large - acknowledgeWindow));
    expect(kept).toBeGreaterThan(0);
    // Frames get the larger share of the window.
    expect(withFrame.length * large).toBeGreaterThan(sharedWindowLimit / 2 + large);
    expect(sizes() + kept * large).toBeLessThan(sharedWindowLimit + large + 100);
  });

  it("READER14 Unacknowledged live events of all readers of a thread together stay within the shared window", () => {
    const { join, sizes, sockets, tell } = thread(0);
    for (let at = 0; at < 30; at += 1) join(0);
    for (let at = 0; at < 3; at += 1) tell();
    expect(sockets.filter(({ seqs }) => seqs.length > 0)).toHaveLength(most);
    expect(sizes()).toBeLessThan(sharedWindowLimit + large + 100);
  });

  it("READER14 A reader receives what fits into its own window although the shared window is full", () => {
    const { broadcaster, join, sockets, tell } = thread(3);
    for (let at = 0; at < 30; at += 1) join(null);
    const late = join(3);
    tell("small");
    expect(sockets.at(-1)?.seqs).toEqual([4]);
    tell();
    expect(sockets.at(-1)?.seqs).toEqual([4]);
    broadcaster.acknowledge(late, 4);
    expect(sockets.at(-1)?.seqs).toEqual([4]);
  });

  it("READER14 All readers receive all events once each acknowledges what it receives, although the shared window was full", () => {
    const { broadcaster, join, sockets } = thread(3);
    const readers = Array.from({ length: 30 }, (_, at) => join(at % 3 === 0 ? null : 0));
    for (let round = 0; round < 30; round += 1) {
      for (const [at, reader] of readers.entries()) {
        const last = sockets[at]?.seqs.at(-1);
        if (last !== undefined) broadcaster.acknowledge(reader, last);
      }
    }
    expect(sockets.map(({ seqs }) => seqs)).toEqual(readers.map((_, at) => (at % 3 === 0 ? [3] : [1, 2, 3])));
    expect(sockets.every(({ code }) => code === null)).toBe(true);
  });

  it("READER15 A reader that acknowledges nothing for ten seconds while others wait is closed, and its memory counts until its socket is released", () => {
    const { broadcaster, join, sockets, pass } = thread(3);
    const active = join(null);
    for (let at = 1; at < 20; at += 1) join(null);
    // A reader that acknowledges in time is not closed.
    broadcaster.acknowledge(active, 3);
    expect(pass(silentReaderMs)).toBe(1);
    expect(sockets.map(({ code }) => code)).toEqual([
      null,
      ...Array.from({ length: most - 1 }, () => 4408),
      ...Array.from({ length: 20 - most }, () => null),
    ]);
    const sent = () => sockets.slice(most).filter(({ seqs }) => seqs.length > 0).length;
    const before = sent();
    expect(before).toBeLessThanOrEqual(1);
    for (const socket of sockets.slice(1, most)) broadcaster.release(socket);
    expect(sent()).toBe(20 - most);
  });

  it("READER15 A reader that acknowledges nothing stays connected while the shared window has space", () => {
    const { join, pass, sockets } = thread(1);
    for (let at = 0; at < 5; at += 1) join(0);
    expect(pass(silentReaderMs)).toBe(0);
    expect(sockets.every(({ code, seqs }) => code === null && seqs.length === 1)).toBe(true);
  });
});

describe("readers of a real thread", () => {
  const post = (id: string, size: number) =>
    value(stubOf(id).call("postMessage", admin, message("x".repeat(size), { run: false }), null));

  it("READER15 Readers that never acknowledge are closed while another reader waits, and the waiting reader then receives everything", async () => {
    const id = await newThread("parallel", { title: "large" });
    // The text is in the event twice.
    await post(id, large / 2);
    const readers: SlowReader[] = [];
    for (let at = 0; at < most + 2; at += 1) readers.push(await SlowReader.open(id));
    const honest = await follow(id, { after: "0", until: "idle" });
    await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), () => ring(id, silentReaderMs));
    await honest.closed;
    expect(honest.events.map(({ type }) => type)).toEqual(["message_start", "message_end"]);
    expect(await readers[0]?.closed).toBe(4408);
    for (const reader of readers) reader.close();
  });

  it("READER6 A reader is sent no more than its window, however often the object hibernates in between", async () => {
    const id = await newThread("parallel");
    await post(id, 10);
    const reader = await SlowReader.open(id);
    await reader.until(() => reader.events.length === 2);
    reader.acknowledge();
    await reader.pong();
    const acknowledged = reader.size;
    for (let round = 0; round < 4; round += 1) {
      for (let at = 0; at < 2; at += 1) await post(id, 100_000);
      await evict(id);
    }
    await post(id, 10);
    await reader.pong();
    expect(reader.size - acknowledged).toBeLessThan(acknowledgeWindow + 210_000);
    await reader.goOn((await value(stubOf(id).call("describe", admin))).last_seq);
    expect(reader.events.filter(({ type }) => type === "message_end")).toHaveLength(10);
  });
});
