// A subscription over carriers (fake connections) that a test opens, breaks and corrupts.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Follow } from "#client/follow/follow.ts";
import type { ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";

import { story } from "../contract/support/story.ts";
import { FakeServer } from "./support/fake-carrier.ts";
import { openRequests } from "./support/open-requests.ts";
import { threadId, threadOf } from "./support/records.ts";

const seed = Number(process.env["CLIENT_SEED"] ?? Date.now() % 2 ** 31);

/** A follow of a fake server, with one user that keeps it open. */
function following({ sockets = true, random = (): number => 0.5 } = {}) {
  const { requests, time, presence } = openRequests({ random });
  const server = new FakeServer();
  let closed = 0;
  const follow = new Follow({
    requests,
    threadId,
    onClose: () => (closed += 1),
    carriers: { socket: sockets ? server.carrier("socket") : null, sse: server.carrier("sse") },
  });
  const observed: ThreadEvent[] = [];
  follow.onEvent((event) => observed.push(event));
  return { follow, release: follow.hold(), server, time, presence, observed, closed: () => closed };
}

/** Events that do not continue the earlier ones; the fake server numbers its events without gaps. */
function gaps(observed: readonly ThreadEvent[]): string[] {
  return observed.flatMap(({ type, seq }, at) => {
    const before = observed[at - 1]?.seq;
    return type === "snapshot" || seq === (before ?? 0) + 1 ? [] : [`${String(seq)} after ${String(before)}`];
  });
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("tell" as const), count: fc.nat(4) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("send" as const), count: fc.nat(4) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom("open", "open", "cut", "drop", "repeat", "picture"),
      count: fc.constant(0),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait" as const), count: fc.nat(40_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("offline", "online", "visible"), count: fc.constant(0) }) },
);

it("The client folds each event once and in order, whichever connections break and whichever events are lost or repeated", () => {
  console.info(`seed ${String(seed)}`);
  fc.assert(
    fc.property(story, fc.array(step, { maxLength: 60 }), (events, steps) => {
      const { follow, server, time, presence, observed } = following();
      const unsent = [...events];
      const tell = (count: number): void => void server.emitted.push(...unsent.splice(0, count));
      for (const one of steps) {
        const { wire } = server;
        switch (one.do) {
          case "tell":
            tell(one.count);
            break;
          case "send":
            server.catchUp(one.count);
            break;
          case "open":
            wire.opened();
            break;
          case "cut":
            wire.lose();
            break;
          case "drop": {
            const lost = server.emitted.find(({ seq }) => seq > (wire.prev ?? 0));
            if (wire.open && wire.prev !== null && lost !== undefined) wire.send(lost, false);
            break;
          }
          case "repeat": {
            const again = server.emitted.find(({ seq }) => seq === wire.prev);
            if (wire.open && again !== undefined) wire.send(again);
            break;
          }
          case "picture":
            if (wire.open) wire.send(server.snapshot());
            break;
          case "wait":
            time.advance(one.count);
            break;
          default:
            presence.tell(one.do as "offline");
        }
        expect(server.wires.filter(({ wire: { over } }) => !over).length).toBeLessThanOrEqual(1);
        if (server.wire !== wire) expect(server.wire.after).toBe(follow.hasState ? follow.state.last_seq : null);
      }
      tell(unsent.length);
      presence.tell("online");
      // A loss after the last frame is noticed only when the connection breaks too: no later frame names the missing number.
      server.wire.lose();
      for (let round = 0; round < 3; round++) {
        time.advance(60_000);
        server.wire.opened();
        server.catchUp();
      }
      expect(follow.connection).toMatchObject({ state: "live" });
      expect(follow.state.messages).toEqual(foldAll(events).messages);
      expect(follow.state.last_seq).toBe(events.at(-1)?.seq);
      expect(gaps(observed)).toEqual([]);
    }),
    { seed, numRuns: 400 },
  );
});

describe("a subscription", () => {
  it("A subscription doubles its reconnect delay after each lost connection up to a limit, waits at least for Retry-After, and begins with the shortest delay again after progress", () => {
    const { follow, server, time } = following({ random: () => 0.999999 });
    const waits: number[] = [];
    for (let round = 0; round < 9; round++) {
      server.wire.lose();
      const { connection } = follow;
      if (connection.state !== "waiting") throw new Error(connection.state);
      waits.push(connection.delayMs);
      time.advance(connection.delayMs);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    server.wire.lose(new Error("busy"), 5000);
    expect(follow.connection).toMatchObject({ state: "waiting", delayMs: 35_000 });
    time.advance(34_999);
    expect(follow.connection.state).toBe("waiting");
    time.advance(1);
    server.wire.opened();
    server.catchUp();
    server.wire.lose();
    expect(follow.connection).toMatchObject({ state: "waiting", delayMs: 500 });
    time.advance(500);
    server.wire.opened();
    time.advance(10_000);
    expect(follow.connection).toMatchObject({ state: "live", attempt: 0 });
  });

  it("A connection that receives only a snapshot without new content counts as failed, and the client doubles its delay before each reconnect", () => {
    const { follow, server, time } = following({ random: () => 0.999999 });
    const waits: number[] = [];
    for (let round = 0; round < 4; round++) {
      server.wire.opened();
      server.wire.send(server.snapshot());
      server.wire.lose();
      const { connection } = follow;
      if (connection.state !== "waiting") throw new Error(connection.state);
      waits.push(connection.delayMs);
      time.advance(connection.delayMs);
    }
    // The first snapshot was new to the client, so it counted as progress.
    expect(waits).toEqual([500, 1000, 2000, 4000]);
  });

  it("The delay before a reconnect can be as short as zero, because it is random", () => {
    const { follow, server } = following({ random: () => 0 });
    server.wire.lose();
    expect(follow.connection).toMatchObject({ state: "waiting", delayMs: 0 });
  });

  it("A socket that fails before it opens is followed by a try over SSE, and after repeated failures sockets are not tried again", () => {
    const { server, time } = following();
    const kinds: string[] = [];
    for (let round = 0; round < 7; round++) {
      kinds.push(server.wires.at(-1)?.kind ?? "");
      if (server.wires.at(-1)?.kind === "sse") server.wire.opened();
      server.wire.lose();
      time.advance(40_000);
    }
    expect(kinds).toEqual(["socket", "sse", "socket", "sse", "socket", "sse", "sse"]);
    const other = following({ sockets: false });
    expect(other.server.wires.map(({ kind }) => kind)).toEqual(["sse"]);
    const good = following();
    good.server.wire.opened();
    good.server.wire.lose();
    good.time.advance(40_000);
    expect(good.server.wires.map(({ kind }) => kind)).toEqual(["socket", "socket"]);
  });

  it("If the server refuses a connection permanently, the client closes it with the reason and does not try again", () => {
    const { follow, server, time, closed, presence } = following();
    const error = new Error("no such thread");
    server.wire.refuse(error);
    expect(follow.connection).toEqual({ state: "closed", error });
    time.advance(1_000_000);
    presence.tell("online");
    expect([server.wires.length, closed(), time.pending, presence.watched]).toEqual([1, 1, 0, false]);
  });

  it("An offline subscription reconnects when the network is back or after 30 seconds; a page that becomes visible reconnects at once, or checks an open connection", () => {
    const { follow, server, time, presence } = following();
    server.wire.opened();
    server.catchUp();
    presence.tell("visible");
    expect(server.wire.checks).toBe(1);
    presence.tell("offline");
    expect([follow.connection.state, server.wire.over]).toEqual(["offline", true]);
    presence.tell("online");
    expect(follow.connection.state).toBe("connecting");
    presence.tell("offline");
    time.advance(30_000);
    expect(follow.connection.state).toBe("connecting");
    server.wire.lose();
    expect(follow.connection.state).toBe("waiting");
    presence.tell("visible");
    expect(follow.connection.state).toBe("connecting");
  });

  it("A call of reconnect connects a waiting subscription at once, and changes nothing for one that is open, opening or closed", () => {
    const { follow, server } = following();
    follow.retry();
    expect(server.wires.length).toBe(1);
    server.wire.opened();
    server.catchUp();
    follow.retry();
    expect([follow.connection.state, server.wires.length]).toEqual(["live", 1]);
    server.wire.lose(new Error("gone"), 5000);
    follow.retry();
    expect([follow.connection.state, server.wires.length]).toEqual(["connecting", 2]);
    follow.close();
    follow.retry();
    expect(follow.connection.state).toBe("closed");
  });

  it("If a page becomes visible, its client still waits for the time of the server's Retry-After before it reconnects", () => {
    const { follow, server, time, presence } = following({ random: () => 0 });
    server.wire.lose(new Error("busy"), 5000);
    presence.tell("visible");
    presence.tell("online");
    expect([follow.connection.state, server.wires.length]).toEqual(["waiting", 1]);
    time.advance(5000);
    expect(follow.connection.state).toBe("connecting");
    server.wire.lose();
    presence.tell("visible");
    expect([follow.connection.state, server.wires.length]).toEqual(["connecting", 3]);
  });

  it("A subscription is closed 250 ms after its last holder has released it", () => {
    const { follow, release, server, time, closed } = following();
    const again = follow.hold();
    release();
    release();
    time.advance(1000);
    expect(follow.connection.state).toBe("connecting");
    again();
    time.advance(100);
    const back = follow.hold();
    time.advance(1000);
    expect(closed()).toBe(0);
    back();
    time.advance(250);
    expect([closed(), follow.connection, server.wire.over, time.pending]).toEqual([
      1,
      { state: "closed", error: null },
      true,
      0,
    ]);
  });

  it("The state of a thread, and each part of it, stays the same object until something in it changes", () => {
    const { follow, server } = following();
    server.wire.opened();
    server.catchUp();
    const first = follow.state;
    let emitted = 0;
    follow.onChange(() => (emitted += 1));
    server.wire.send({ type: "queue_changed", seq: 1, thread_id: threadId, at: 1, queued: [] });
    expect(follow.state).not.toBe(first);
    expect(follow.state.messages).toBe(first.messages);
    expect(follow.state.thread).toBe(first.thread);
    const before = emitted;
    const second = follow.state;
    server.wire.send({ type: "queue_changed", seq: 1, thread_id: threadId, at: 1, queued: [] });
    expect([follow.state, emitted]).toEqual([second, before]);
  });

  it("An event of an unknown type changes only the last event number of the client's state, and later events are applied", () => {
    const { follow, server, observed } = following();
    server.wire.opened();
    server.catchUp();
    const { last_seq: _, ...before } = follow.state;
    const unknown = { type: "of_a_newer_server", seq: 1, thread_id: threadId, at: 1, run_id: "run", data: { a: 1 } };
    server.wire.send(unknown as unknown as ThreadEvent);
    expect(follow.state).toEqual({ ...before, last_seq: 1 });
    const thread = { ...threadOf({ id: threadId, title: "New" }), of_a_newer_server: true };
    server.wire.send({ type: "thread_updated", seq: 2, thread_id: threadId, at: 2, thread });
    expect(follow.state).toEqual({ ...before, last_seq: 2, thread });
    expect(observed.map(({ type }) => type)).toEqual(["snapshot", "of_a_newer_server", "thread_updated"]);
  });

  it("If a listener throws, the other listeners still receive the event, and the error is reported as uncaught", async () => {
    const { follow, server } = following();
    const thrown = new Promise<unknown>((resolve) => {
      const before = process.listeners("uncaughtException");
      process.removeAllListeners("uncaughtException");
      process.once("uncaughtException", (error) => {
        for (const listener of before) process.on("uncaughtException", listener);
        resolve(error);
      });
    });
    follow.onEvent(() => {
      throw new Error("a listener's own");
    });
    const types: string[] = [];
    follow.onEvent(({ type }) => types.push(type));
    server.wire.opened();
    server.catchUp();
    expect(types).toEqual(["snapshot"]);
    expect(await thrown).toMatchObject({ message: "a listener's own" });
  });
});
