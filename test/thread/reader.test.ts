// Readers: what they are sent, what they missed, and the cost of a reader that is too slow (architecture §5.7).

import { describe, expect, it } from "vitest";

import type { ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";
import { callerHeader, subscribePath } from "#core/rpc/thread-rpc.ts";

import { gate, scripts } from "../worker/definitions.ts";
import { SlowReader } from "./slow-reader.ts";
import { admin, converse, evict, follow, message, newThread, stubOf, types, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

describe("joining", () => {
  it("READER1 A reader that joins in the middle of an answer receives one merged delta and then the rest", async () => {
    const id = await newThread("parallel");
    const hold = gate("reader1");
    scripts.set("reader1", async ({ step }) => {
      if (step === 1) await hold.reached;
      return step === 0
        ? { text: ["one ", "two "], toolCalls: [{ name: "wait", arguments: { gate: "reader1" } }] }
        : { text: "three" };
    });
    await value(stubOf(id).call("postMessage", admin, message("reader1"), null));
    await hold.reached;
    const late = await follow(id, { after: "0" });
    await late.until((event) => event.type === "tool_execution_start");
    const deltas = late.events.filter((event) => event.type === "text_delta");
    expect(deltas).toMatchObject([{ offset: 0, delta: "one two " }]);
    hold.open();
    await late.until((event) => event.type === "run_end");
    late.close();
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(foldAll(late.events).messages.map(({ content }) => content)).toEqual(items.map(({ content }) => content));
  });

  it("FOLLOW1 A subscription to a thread does not end with a run, and receives the events of later runs", async () => {
    const id = await newThread("parallel");
    const following = await follow(id, { after: "0" });
    await converse(id, "a");
    await converse(id, "b");
    await following.until((event) => event.type === "run_end" && foldAll(following.events).messages.length === 4);
    following.close();
    expect(types(following.events).filter((type) => type === "run_end")).toHaveLength(2);
  });

  it("READER3 A reader with a filter of event types receives only those types, and prev names the number of the frame before", async () => {
    const id = await newThread("parallel");
    await converse(id, "a");
    const following = await follow(id, { after: "0", types: "run_start,run_end", until: "idle" });
    await following.closed;
    expect(types(following.events)).toEqual(["run_start", "run_end"]);
    expect(following.events[1]?.prev).toBe(following.events[0]?.seq);
  });

  it("READER4 A reader receives silent messages only if it asks for them", async () => {
    const id = await newThread("parallel");
    scripts.set("silent", ({ step }) =>
      step === 0 ? { toolCalls: [{ name: "inject", arguments: { text: "hidden" } }] } : { text: "ok" },
    );
    await converse(id, "silent");
    const emitted = async (query: Record<string, string>) => {
      const following = await follow(id, { after: "0", until: "idle", ...query });
      await following.closed;
      return following.events.flatMap((event) => (event.type === "message_end" ? [event.message.content] : []));
    };
    expect(await emitted({})).not.toContain("hidden");
    expect(await emitted({ include_silent: "true" })).toContain("hidden");
    const following = await follow(id, { after: "0", until: "idle", types: "custom" });
    await following.closed;
    expect(following.events).toMatchObject([{ type: "custom", name: "injected" }]);
  });

  it("READER5 A reader receives a snapshot if it asks for events after a number that was never used", async () => {
    const id = await newThread("parallel");
    await converse(id, "a");
    const following = await follow(id, { after: "999999999", until: "idle" });
    await following.closed;
    expect(types(following.events)).toEqual(["snapshot"]);
  });
});

describe("hibernation", () => {
  it("FOLLOW3 An idle thread can be evicted at once although it has followers, and they receive all later events", async () => {
    const id = await newThread("parallel");
    const following = await follow(id, { after: "0" });
    await converse(id, "a");
    await following.until((event) => event.type === "run_end");
    await evict(id);
    // More than a window, so that acknowledgements before and after hibernation both have to count.
    scripts.set("window", () => ({ text: Array.from({ length: 100 }, (_, index) => `${index} ${"z".repeat(4000)} `) }));
    const events = await converse(id, "window");
    const last = events.at(-1)?.seq;
    await following.until((event) => event.type === "run_end" && event.seq === last);
    following.close();
    const numbers = following.events.map((event) => event.seq);
    expect(following.events.slice(1).map((event) => event.prev)).toEqual(numbers.slice(0, -1));
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(foldAll(following.events).messages.map(({ content }) => content)).toEqual(
      items.map(({ content }) => content),
    );
  });
});

describe("a reader with unacknowledged events when the object hibernates", () => {
  it("FOLLOW1 If an object hibernates while a reader has unacknowledged events, the reader receives everything it missed after it acknowledges", async () => {
    const id = await newThread("parallel");
    const words = Array.from({ length: 10 }, (_, index) => `${index} ${"y".repeat(60_000)} `);
    scripts.set("behind", () => ({ text: words }));
    const response = await stubOf(id).fetch(
      new Request(`https://thread${subscribePath}?after=0`, {
        headers: { Upgrade: "websocket", [callerHeader]: JSON.stringify(admin) },
      }),
    );
    const socket = response.webSocket;
    if (socket === null) throw new Error("no socket");
    const events: ThreadEvent[] = [];
    let wake = () => {};
    socket.addEventListener("message", ({ data }) => {
      events.push(JSON.parse(String(data)) as ThreadEvent);
      wake();
    });
    socket.accept();
    await converse(id, "behind");
    await evict(id);
    const acknowledge = () => socket.send(JSON.stringify({ type: "ack", seq: events.at(-1)?.seq ?? 0 }));
    await new Promise<void>((resolve) => {
      wake = () => {
        acknowledge();
        if (events.some((event) => event.type === "run_end")) resolve();
      };
      acknowledge();
    });
    wake = () => {};
    socket.close();
    const numbers = events.map((event) => event.seq);
    expect(events.slice(1).map((event) => event.prev)).toEqual(numbers.slice(0, -1));
    expect(foldAll(events).messages.at(-1)?.content).toBe(words.join(""));
  });
});

describe("a long thread", () => {
  it("A replay of a long thread is complete and reads at most about six rows for each message", async () => {
    const id = await newThread("parallel");
    await converse(id, "first");
    const initial = Array.from({ length: 40 }, (_, index) => `${index} ${"x".repeat(40_000)}`);
    for (const text of initial) await value(stubOf(id).call("postMessage", admin, message(text, { run: false }), null));
    await converse(id, "last");
    const before = await stubOf(id).rows();
    const following = await follow(id, { after: "0", until: "idle" });
    await following.closed;
    const after = await stubOf(id).rows();
    const { items } = await value(stubOf(id).call("listMessages", admin, page));
    expect(foldAll(following.events).messages.map(({ content }) => content)).toEqual(
      items.map(({ content }) => content),
    );
    console.log(`replay of ${items.length} messages of 40 KB: ${after.rowsRead - before.rowsRead} rows read`);
    expect(after.rowsRead - before.rowsRead).toBeLessThan(items.length * 6 + 60);
  });
});

describe("events that are still in memory", () => {
  it("A reader that resumes at a number whose later events are in memory receives them without a read of rows, and they equal the events from rows", async () => {
    const id = await newThread("parallel");
    for (const text of ["a", "b", "c"]) await converse(id, text);
    const hold = gate("reader11");
    scripts.set("reader11", async ({ step }) => {
      if (step === 1) await hold.reached;
      return step === 0
        ? { text: ["one ", "two "], toolCalls: [{ name: "wait", arguments: { gate: "reader11" } }] }
        : { text: "three" };
    });
    const { after } = await value(stubOf(id).call("postMessage", admin, message("reader11"), null));
    await hold.reached;
    const whole = await follow(id, { after: String(after) });
    const { seq: paused } = await whole.until(({ type }) => type === "tool_execution_start");
    const fromMemory = new Map<number, ThreadEvent[]>();
    const before = await stubOf(id).rows();
    for (let number = after; number < paused; number += 1) {
      const late = await follow(id, { after: String(number) });
      await late.until(({ seq }) => seq === paused);
      fromMemory.set(number, [...late.events]);
      late.close();
    }
    expect((await stubOf(id).rows()).rowsRead).toBe(before.rowsRead);
    hold.open();
    await whole.until(({ type }) => type === "run_end");
    whole.close();
    for (const [number, emitted] of fromMemory) {
      const fromRows = await follow(id, { after: String(number), until: "idle" });
      await fromRows.closed;
      expect(emitted).toEqual(fromRows.events.filter(({ seq }) => seq <= paused));
    }
    expect((await stubOf(id).rows()).rowsRead).toBeGreaterThan(before.rowsRead);
  });
});

describe("a reader that does not keep up", () => {
  it("READER6 A slow reader is sent no more than its window, and everything else once it acknowledges", async () => {
    const id = await newThread("parallel");
    const words = Array.from({ length: 120 }, (_, index) => `${index} ${"x".repeat(4000)} `);
    scripts.set("big", () => ({ text: words }));
    const response = await stubOf(id).fetch(
      new Request(`https://thread${subscribePath}?after=0`, {
        headers: { Upgrade: "websocket", [callerHeader]: JSON.stringify(admin) },
      }),
    );
    const socket = response.webSocket;
    if (socket === null) throw new Error("no socket");
    const events: ThreadEvent[] = [];
    let bytes = 0;
    let wake = () => {};
    socket.addEventListener("message", ({ data }) => {
      bytes += String(data).length;
      events.push(JSON.parse(String(data)) as ThreadEvent);
      wake();
    });
    socket.accept();
    await converse(id, "big answer");
    const beforeAck = bytes;
    // The window, and the one frame that filled it: a frame is never split.
    const largest = Math.max(...events.map((event) => JSON.stringify(event).length));
    expect(beforeAck).toBeLessThanOrEqual(256 * 1024 + 2 * largest);
    const done = new Promise<void>((resolve) => {
      wake = () => {
        socket.send(JSON.stringify({ type: "ack", seq: events.at(-1)?.seq ?? 0 }));
        if (!events.some((event) => event.type === "run_end")) return;
        wake = () => {};
        resolve();
      };
    });
    wake();
    await done;
    socket.close();
    expect(foldAll(events).messages.at(-1)?.content).toBe(words.join(""));
  });

  it("READER13 A reader that acknowledges a number that was never sent is closed, and receives no more than its window", async () => {
    const id = await newThread("parallel");
    scripts.set("huge", () => ({ text: Array.from({ length: 500 }, (_, index) => `${index} ${"y".repeat(2000)} `) }));
    for (let turn = 0; turn < 3; turn += 1) await converse(id, "huge answer");
    for (const seq of [Number.MAX_SAFE_INTEGER, (await value(stubOf(id).call("describe", admin))).last_seq + 1]) {
      const response = await stubOf(id).fetch(
        new Request(`https://thread${subscribePath}?after=0`, {
          headers: { Upgrade: "websocket", [callerHeader]: JSON.stringify(admin) },
        }),
      );
      const socket = response.webSocket;
      if (socket === null) throw new Error("no socket");
      let size = 0;
      socket.addEventListener("message", ({ data }) => {
        size += String(data).length;
      });
      const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));
      socket.accept();
      socket.send(JSON.stringify({ type: "ack", seq }));
      expect(await closed).toBe(4400);
      // The window, and the one frame of six megabytes that exceeds it.
      expect(size).toBeLessThan(256 * 1024 + 1_100_000);
    }
    // A reader that acknowledges what it has is sent everything, and an acknowledgement without a valid number is ignored.
    const honest = await SlowReader.open(id);
    for (const seq of [-1, 0.5, "1", null]) honest.say({ type: "ack", seq });
    await honest.goOn((await value(stubOf(id).call("describe", admin))).last_seq);
    expect(honest.events.at(-1)).toMatchObject({ type: "run_end" });
  });

  it("READER7 A reader that never acknowledges is closed with 4408 after 4 MB", async () => {
    const id = await newThread("parallel");
    scripts.set("huge", () => ({ text: Array.from({ length: 2500 }, (_, index) => `${index} ${"y".repeat(2000)} `) }));
    const response = await stubOf(id).fetch(
      new Request(`https://thread${subscribePath}?after=0`, {
        headers: { Upgrade: "websocket", [callerHeader]: JSON.stringify(admin) },
      }),
    );
    const socket = response.webSocket;
    if (socket === null) throw new Error("no socket");
    const closed = new Promise<number>((resolve) => socket.addEventListener("close", ({ code }) => resolve(code)));
    socket.accept();
    await converse(id, "huge answer");
    await converse(id, "huge again");
    expect(await closed).toBe(4408);
  });
});
