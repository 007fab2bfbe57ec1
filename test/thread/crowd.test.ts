// Many readers are served in slices. A reader that joins, leaves or becomes slow in the middle of a slice receives everything once.

import { describe, expect, it } from "vitest";

import type { PlainEvent, ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";
import type { Clock } from "#core/ports/clock.ts";
import { FanOut } from "#thread/reader/fan-out.ts";
import { Reader } from "#thread/reader/reader.ts";

import { gate, scripts } from "../worker/definitions.ts";
import { SlowReader } from "./slow-reader.ts";
import { admin, converse, follow, message, newThread, stubOf, value } from "./thread-driver.ts";
import type { Following } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

/** A clock that moves only by hand, and the requested pauses. */
class HandClock implements Clock {
  readonly pauses: number[] = [];
  #micros = 0;
  #callbacks: (() => void)[] = [];

  now(): number {
    return this.#micros;
  }

  sleep(): Promise<void> {
    return Promise.resolve();
  }

  after(ms: number, callback: () => void): () => void {
    this.pauses.push(ms);
    this.#callbacks.push(callback);
    return () => {};
  }

  /** Moves the clock by this many milliseconds and runs the waiting callbacks. */
  pass(ms: number): boolean {
    this.#micros += ms * 1000;
    const callbacks = this.#callbacks;
    this.#callbacks = [];
    for (const callback of callbacks) callback();
    return callbacks.length > 0;
  }
}

/** A fan-out to this many readers, which lists the events that each receives. */
function fanOut(readers: number, idle: boolean) {
  const clock = new HandClock();
  const given: { reader: number; seq: number }[] = [];
  const all = new Map<number, Reader>();
  const socket = {
    send: () => undefined,
    close: () => undefined,
    serializeAttachment: () => undefined,
    deserializeAttachment: () => null,
  };
  for (let index = 0; index < readers; index += 1) {
    const runId = index === readers - 1 ? "a run" : null;
    const filter = { types: null, depth: null, includeSilent: false, runId, untilIdle: false };
    all.set(index, new Reader(socket, { filter, cursor: 0, prev: 0, acknowledged: true }));
  }
  const numbers = new Map([...all].map(([index, reader]) => [reader, index]));
  let drained = 0;
  const out = new FanOut({
    clock,
    readers: all,
    idle: () => idle,
    deliver: (reader, { seq }) => given.push({ reader: numbers.get(reader) ?? -1, seq }),
    onEmpty: () => (drained += 1),
  });
  return { out, clock, given, drained: () => drained };
}

function event(seq: number): PlainEvent {
  return { type: "custom", seq, thread_id: "t", at: 0, name: "n", data: seq };
}

function delta(seq: number): PlainEvent {
  return { type: "text_delta", seq, thread_id: "t", at: 0, message_id: "m", index: 0, offset: seq - 1, delta: "." };
}

describe("slices of readers", () => {
  it("A thread with fifty readers sends each event to all of them at once", () => {
    const { out, given } = fanOut(50, false);
    for (const seq of [1, 2, 3]) out.add(event(seq));
    expect(given).toHaveLength(150);
    expect(out.empty).toBe(true);
  });

  it("A thread with many readers sends an event to a slice of them at a time, pauses four times as long as the slice took, and serves readers that wait for a run's answer first", () => {
    const { out, clock, given } = fanOut(1000, false);
    out.add(event(1));
    // Events that arrive together are sent together.
    out.add(event(2));
    expect(given).toHaveLength(0);
    clock.pass(10);
    expect(given).toHaveLength(256);
    expect(given.slice(0, 2)).toEqual([
      { reader: 999, seq: 1 },
      { reader: 999, seq: 2 },
    ]);
    out.add(event(3));
    expect(given).toHaveLength(256);
    // The slice is measured first, and the pause follows from its cost.
    clock.pass(7);
    expect(clock.pauses).toEqual([10, 0, 28]);
    clock.pass(28);
    expect(given).toHaveLength(512);
    clock.pass(5000);
    expect(clock.pauses.slice(3)).toEqual([0, 1000]);
  });

  it("A thousand readers receive every event once and in order, and in an idle thread without pauses between slices", () => {
    const { out, clock, given, drained } = fanOut(1000, true);
    for (const seq of [1, 2, 3]) out.add(event(seq));
    while (clock.pass(1));
    expect(given).toHaveLength(3000);
    for (let reader = 0; reader < 1000; reader += 1) {
      expect(given.filter((one) => one.reader === reader).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    }
    // There is a pause only at the end of a round, so that the next events are sent together.
    expect(clock.pauses.filter((ms) => ms > 0)).toEqual([10, 10]);
    expect(drained()).toBe(1);
  });

  it("A flush sends the pending events to all readers that have not received them yet, at once and in order", () => {
    const { out, clock, given } = fanOut(300, false);
    out.add(event(1));
    clock.pass(10);
    expect(given).toHaveLength(256);
    out.add(event(2));
    out.flush();
    expect(out.empty).toBe(true);
    expect(given.slice(0, 300).every(({ seq }) => seq === 1)).toBe(true);
    expect(given.slice(300).every(({ seq }) => seq === 2)).toBe(true);
    expect(given).toHaveLength(600);
  });
});

describe("unsent deltas", () => {
  it("Deltas before a snapshot are not merged with later deltas", () => {
    const { out, clock, given } = fanOut(60, false);
    out.add(delta(1));
    out.add(delta(2));
    out.sealDeltas();
    out.add(delta(3));
    out.add(delta(4));
    clock.pass(10);
    const emitted = given.filter(({ reader }) => reader === 0);
    expect(emitted.map(({ seq }) => seq)).toEqual([2, 4]);
  });
});

/** Deltas that neither continue their block nor begin it again, as a replay does. */
function overlaps(events: readonly ThreadEvent[]): string[] {
  const lengths = new Map<string, number>();
  const found: string[] = [];
  for (const one of events) {
    if (one.type !== "text_delta") continue;
    const block = `${String(one.message_id)} ${String(one.index)}`;
    // Before its snapshot a reader received nothing of the block.
    const length = lengths.get(block) ?? one.offset;
    if (one.offset !== length && one.offset !== 0) found.push(`${String(one.seq)}: ${String(one.offset)} of ${length}`);
    lengths.set(block, one.offset + one.delta.length);
  }
  return found;
}

describe("many readers", () => {
  it("FOLLOW6 Each of many readers receives every event once, also a reader that joins late or stops reading for a while, and also while other readers leave", async () => {
    const id = await newThread("parallel");
    const hold = gate("crowd");
    const words = Array.from({ length: 300 }, (_, index) => `${String(index)} ${"x".repeat(1000)} `);
    scripts.set("crowd", ({ step }) =>
      step === 0
        ? { text: words, delayMs: 1, toolCalls: [{ name: "wait", arguments: { gate: "crowd" } }] }
        : { text: words },
    );
    const crowd = await Promise.all(Array.from({ length: 80 }, () => follow(id, { after: "0" })));
    const slow = await SlowReader.open(id);
    const [first] = crowd;
    if (first === undefined) throw new Error("nobody watches");
    const late: { after: number; following: Following }[] = [];
    const snapshots: Following[] = [];
    const join = async (): Promise<void> => {
      const after = first.events[Math.floor(first.events.length / 2)]?.seq ?? 0;
      late.push({ after, following: await follow(id, { after: String(after) }) });
      snapshots.push(await follow(id));
    };
    await value(stubOf(id).call("postMessage", admin, message("crowd"), null));
    const suspended = await follow(id, { after: "0", until: "idle" });
    for (let count = 1; count <= 5; count += 1) {
      await first.until((one) => one.type === "text_delta" && one.offset + one.delta.length > count * 40_000);
      crowd.pop()?.close();
      await join();
    }
    await first.until((one) => one.type === "tool_execution_start");
    await join();
    hold.open();
    await suspended.closed;
    const last = suspended.events.at(-1)?.seq ?? 0;
    const others = [...late.map(({ following }) => following), ...snapshots];
    await Promise.all([...crowd, ...others].map((one) => one.until(({ seq }) => seq === last)));
    await slow.goOn(last);

    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    const whole = (events: readonly ThreadEvent[]) =>
      events.filter(({ type }) => !type.endsWith("_delta")).map(({ seq }) => seq);
    const everything = whole(first.events);
    const emitted = [
      ...[...crowd, suspended, slow].map(({ events }) => ({ after: 0, events })),
      ...late.map(({ after, following: { events } }) => ({ after, events })),
      ...snapshots.map(({ events: [snapshot, ...events] }) => ({ after: snapshot?.seq ?? 0, events })),
    ];
    for (const { after, events } of emitted) {
      expect(events.map(({ prev }) => prev)).toEqual([after, ...events.map(({ seq }) => seq)].slice(0, -1));
      expect(whole(events)).toEqual(everything.filter((seq) => seq > after));
      expect(overlaps(events)).toEqual([]);
      const before = first.events.filter(({ seq }) => seq <= after);
      expect(foldAll([...before, ...events]).messages.map(({ content }) => content)).toEqual(
        items.map(({ content }) => content),
      );
    }
    for (const one of [...crowd, ...others]) one.close();
    // The thread is usable, and readers that have left block nothing.
    await converse(id, "after the crowd");
  });
});
