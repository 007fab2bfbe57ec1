// The SSE bridge: which events a client receives while the sockets to the object open and close.

import { describe, expect, it } from "vitest";

import type { FakeSubscriber } from "./support/fake-subscriber.ts";
import type { FakeThread } from "./support/fake-thread.ts";
import { SseReader } from "./support/sse-reader.ts";
import { refusalOf, testApp } from "./support/test-app.ts";
import type { Ask, TestApp, TestAppOptions } from "./support/test-app.ts";

interface Opened extends TestApp {
  id: string;
  object: never;
  thread: FakeThread;
  response: Response;
  reader: SseReader;
}

async function open(
  query = "",
  options: Ask = {},
  prepare?: (thread: FakeThread) => void,
  dependencies: TestAppOptions["dependencies"] = {},
): Promise<Opened> {
  const app = testApp({ dependencies });
  const { id, object: thread } = app.seed();
  prepare?.(thread);
  const response = await app.ask(`/api/threads/${id}/events${query}`, options);
  return { ...app, object: undefined as never, id, thread, response, reader: new SseReader(response) };
}

function subscriberOf(thread: FakeThread, index = 0): FakeSubscriber {
  const subscriber = thread.subscribers[index];
  if (subscriber === undefined) throw new Error("Nobody subscribed.");
  return subscriber;
}

/** Resolves with the next subscriber. */
function nextSubscriber(thread: FakeThread): Promise<FakeSubscriber> {
  const { promise, resolve } = Promise.withResolvers<FakeSubscriber>();
  thread.onSubscribe = resolve;
  return promise;
}

function sayHi(thread: FakeThread, count = 3): void {
  for (let index = 1; index <= count; index++) thread.emit({ type: "custom", name: "n", data: index });
}

describe("frames", () => {
  it("SSE1 A frame has the event's number, name and unchanged JSON", async () => {
    const { response, reader, thread } = await open("?after=0");
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(response.headers.get("cache-control")).toContain("no-store");
    thread.emit({ type: "text_delta", index: 0, offset: 0, delta: "a\nb\r\n🧵\u2028" });
    thread.emit({ type: "error", code: "x", message: "y" });
    expect(await reader.next()).toEqual({ comment: "heartbeat" });
    const data = JSON.stringify(thread.events[0]);
    expect(await reader.next()).toEqual({ id: "1", event: "text_delta", data });
    expect(await reader.next()).toMatchObject({ id: "2", event: "thread_error" });
    await reader.cancel();
  });

  it("SSE1 JSON of several lines becomes several data lines", async () => {
    const { reader, thread } = await open("?after=0");
    subscriberOf(thread).say('{"type":"custom",\r\n"seq":1,\n"data":1}');
    expect(await reader.nextFrame()).toEqual({
      id: "1",
      event: "custom",
      data: '{"type":"custom",\n"seq":1,\n"data":1}',
    });
    await reader.cancel();
  });

  it("The object of a thread receives the validated query of a stream, and nothing else of the request", async () => {
    const { reader, thread } = await open("?after=3&types=run_end,custom&depth=1&include_silent=true&until=idle", {
      headers: { "x-forwarded-for": "1.2.3.4", cookie: "a=b" },
    });
    const { url, request } = subscriberOf(thread);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      after: "3",
      types: "run_end,custom",
      depth: "1",
      include_silent: "true",
      until: "idle",
    });
    expect([...request.headers.keys()].toSorted()).toEqual(["upgrade", "x-threadhold-caller"]);
    await reader.cancel();
  });

  it("SSE2 The header Last-Event-ID takes precedence over the query field `after`, and is refused if it is not a number", async () => {
    const { reader, thread, ask, id } = await open("?after=1", { headers: { "last-event-id": "2" } }, (t) =>
      sayHi(t, 3),
    );
    expect(subscriberOf(thread).url.searchParams.get("after")).toBe("2");
    expect(await reader.nextFrame()).toMatchObject({ id: "3" });
    await reader.cancel();
    const broken = await ask(`/api/threads/${id}/events`, { headers: { "last-event-id": "1; drop" } });
    expect(await refusalOf(broken)).toMatchObject({ status: 400, fields: ["Last-Event-ID"] });
  });

  it("SSE3 An error of the object before the stream begins is answered as a JSON error", async () => {
    const app = testApp();
    const { id } = app.seed("bernd");
    expect(await refusalOf(await app.ask(`/api/threads/${id}/events`))).toMatchObject({
      status: 404,
      code: "thread_not_found",
    });
  });

  it("SSE3 A stream request is answered 503 unavailable if the object's response is neither a stream nor an error", async () => {
    const app = testApp();
    const { id, object } = app.seed("anna");
    object.fetch = () => Promise.resolve(new Response("Bad gateway", { status: 502 }));
    const response = await app.ask(`/api/threads/${id}/events`);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await refusalOf(response)).toMatchObject({ status: 503, code: "unavailable" });
    expect(app.log).toHaveLength(1);
    expect(JSON.parse(app.log[0] ?? "")).toMatchObject({
      event: "unavailable",
      path: `/api/threads/${id}/events`,
      cause: expect.stringContaining("The object answered an upgrade with status 502.") as string,
    });
  });
});

describe("the end", () => {
  it("SSE4 A stream with until=idle ends with event: end", async () => {
    const { reader, thread } = await open("?after=0&until=idle", {}, sayHi);
    const subscriber = subscriberOf(thread);
    subscriber.say('{"type":"end"}');
    subscriber.drop(1000);
    const items = await reader.rest();
    expect(items.map(({ event }) => event)).toEqual(["custom", "custom", "custom", "end"]);
    expect(items.at(-1)?.data).toBe("{}");
  });

  it("SSE4 A stream ends with a thread_error event without an event number when its thread is deleted", async () => {
    const { reader, thread } = await open();
    subscriberOf(thread).drop(4404, "The thread was deleted.");
    expect(await reader.rest()).toEqual([
      { event: "thread_error", data: '{"type":"error","code":"thread_not_found","message":"The thread was deleted."}' },
    ]);
  });

  it("SSE4 A stream ends without a further event if its reader was too slow, so that the client resumes from its last event number", async () => {
    const { reader, thread } = await open();
    subscriberOf(thread).drop(4408);
    expect(await reader.rest()).toEqual([]);
    expect(thread.subscribers).toHaveLength(1);
  });

  it("SSE4 A stream discards its unsent events when it ends because its reader was too slow", async () => {
    const { reader, thread } = await open("?after=0", {}, sayHi);
    subscriberOf(thread).drop(4408);
    await subscriberOf(thread).left();
    expect(await reader.rest()).toEqual([]);
  });

  it("A stream closes its socket to the object and clears its timers when its client leaves", async () => {
    const { reader, thread, time } = await open("?after=0", {}, sayHi);
    await reader.nextFrame();
    await reader.cancel();
    expect(await subscriberOf(thread).left()).toBe(1000);
    expect(time.pending).toBe(0);
  });

  it.each(["before it read", "after it read"])(
    "A stream closes its socket to the object if its reader aborts the request %s",
    async (when) => {
      const leaving = new AbortController();
      const { reader, thread, time } = await open("?after=0", { signal: leaving.signal }, sayHi);
      if (when === "after it read") await reader.nextFrame();
      leaving.abort();
      expect(await subscriberOf(thread).left()).toBe(1000);
      expect(time.pending).toBe(0);
    },
  );

  it("A stream without events closes its socket to the object when its client leaves", async () => {
    const { reader, thread, time } = await open();
    await reader.next();
    const waiting = reader.next();
    await time.armed(15_000);
    await reader.cancel();
    expect(await waiting).toBe(null);
    expect(await subscriberOf(thread).left()).toBe(1000);
    expect(time.pending).toBe(0);
  });
});

describe("heartbeats", () => {
  it("SSE6 A stream sends a comment every 15 seconds of silence, and none to a reader that does not read", async () => {
    const { reader, time } = await open();
    await reader.next();
    for (let beat = 0; beat < 2; beat++) {
      const waiting = reader.next();
      await time.armed(15_000);
      time.advance(15_000);
      expect(await waiting).toEqual({ comment: "heartbeat" });
    }
    time.advance(60_000);
    expect(time.pending).toBe(0);
    await reader.cancel();
  });
});

describe("re-attaching", () => {
  it("SSE7 A stream continues after its last event when the object was reset, with nothing lost or repeated", async () => {
    const { reader, thread, time } = await open("?after=0", {}, sayHi);
    for (const id of ["1", "2", "3"]) expect(await reader.nextFrame()).toMatchObject({ id });
    subscriberOf(thread).drop(1011);
    await time.armed(100);
    thread.emit({ type: "custom", name: "n", data: "while away" });
    const second = nextSubscriber(thread);
    time.advance(100);
    expect((await second).url.searchParams.get("after")).toBe("3");
    thread.emit({ type: "custom", name: "n", data: "after" });
    for (const id of ["4", "5"]) expect(await reader.nextFrame()).toMatchObject({ id });
    await reader.cancel();
  });

  it("SSE7 A stream sends no frame twice when the object repeats frames after a reconnect", async () => {
    const { reader, thread, time } = await open("?after=0", {}, sayHi);
    await reader.nextFrame();
    const second = nextSubscriber(thread);
    subscriberOf(thread).drop(1006 + 5);
    await time.armed(100);
    time.advance(100);
    const subscriber = await second;
    for (const seq of [2, 3, 4]) subscriber.say(JSON.stringify({ type: "custom", seq, data: seq }));
    for (const id of ["2", "3", "4"]) expect(await reader.nextFrame()).toMatchObject({ id });
    await reader.cancel();
  });

  it("A stream doubles the delay between its reconnects to the object up to five seconds, and continues after a reconnect", async () => {
    const { reader, thread, time } = await open();
    subscriberOf(thread).drop(1012);
    for (const wait of [100, 200, 400, 800, 1600, 3200, 5000, 5000]) {
      await time.armed(wait);
      thread.failures.push(Object.assign(new Error("gone"), { durableObjectReset: true }));
      time.advance(wait);
    }
    await time.armed(5000);
    const second = nextSubscriber(thread);
    time.advance(5000);
    (await second).tell(thread.events[thread.emit({ type: "custom" }) - 1] ?? { type: "custom", seq: 1 });
    expect(await reader.nextFrame()).toMatchObject({ id: "1" });
    await reader.cancel();
  });

  it.each([
    [0, [50, 100, 200, 400, 800, 1600, 2500]],
    [0.999, [150, 300, 600, 1199, 2398, 4797, 7495]],
  ])("RETRY4 With the random number %s a stream reconnects to the object after %s ms", async (random, waits) => {
    const { reader, thread, time } = await open("", {}, undefined, { random: () => random });
    subscriberOf(thread).drop(1012);
    for (const wait of waits) {
      await time.armed(wait);
      thread.failures.push(Object.assign(new Error("gone"), { durableObjectReset: true }));
      time.advance(wait);
    }
    await reader.cancel();
  });

  it("A stream does not reconnect to the object if its client leaves during the delay before the reconnect", async () => {
    const { reader, thread, time } = await open();
    subscriberOf(thread).drop(1012);
    await time.armed(100);
    await reader.cancel();
    time.advance(100);
    await Promise.resolve();
    expect(thread.subscribers).toHaveLength(1);
    expect(time.pending).toBe(0);
  });

  it("A stream ends with a thread_error event if its thread is deleted before the reconnect to the object", async () => {
    const { reader, thread, time } = await open();
    thread.thread = null;
    subscriberOf(thread).drop(1012);
    await time.armed(100);
    time.advance(100);
    expect(await reader.rest()).toMatchObject([{ event: "thread_error" }]);
  });
});

describe("acknowledging", () => {
  /** Closes the connection to the object as a reset does. Resolves with the object's end of the next connection. */
  const reset = async ({ thread, time }: Pick<Opened, "thread" | "time">): Promise<FakeSubscriber> => {
    const second = nextSubscriber(thread);
    subscriberOf(thread).drop(1012);
    await time.armed(100);
    time.advance(100);
    return second;
  };

  const large = (seq: number): string => JSON.stringify({ type: "custom", seq, data: "x".repeat(70 * 1024) });

  it("A stream acknowledges an event to the object only after the client has read the event", async () => {
    const { reader, thread, time } = await open("?after=0");
    const subscriber = subscriberOf(thread);
    for (let seq = 1; seq <= 6; seq++) subscriber.say(large(seq));
    await reader.next();
    time.advance(5000);
    expect(subscriber.acknowledged).toEqual([]);
    expect(await reader.nextFrame()).toMatchObject({ id: "1" });
    time.advance(5000);
    // The heartbeat's timer: none delays an acknowledgement.
    expect(time.pending).toBe(1);
    expect(subscriber.acknowledged).toEqual([]);
    // A second read shows that the client has taken the first frame.
    expect(await reader.nextFrame()).toMatchObject({ id: "2" });
    await subscriber.acknowledgedUpTo(1);
    time.advance(5000);
    expect(await reader.nextFrame()).toMatchObject({ id: "3" });
    await reader.cancel();
    // The close arrives after all acknowledgements. No later read has shown that the client took the third frame.
    await subscriber.left();
    expect(subscriber.acknowledged).toEqual([1, 2]);
  });

  it("A stream acknowledges the first event when the client has read it, and further small events a second later", async () => {
    const { reader, thread, time } = await open("?after=0", {}, (of) => sayHi(of, 1));
    const subscriber = subscriberOf(thread);
    expect(await reader.nextFrame()).toMatchObject({ id: "1" });
    const second = reader.nextFrame();
    await subscriber.acknowledgedUpTo(1);
    sayHi(thread, 2);
    expect(await second).toMatchObject({ id: "2" });
    expect(await reader.nextFrame()).toMatchObject({ id: "3" });
    const waiting = reader.next();
    await time.armed(1000);
    expect(subscriber.acknowledged).toEqual([1]);
    time.advance(1000);
    await subscriber.acknowledgedUpTo(3);
    await reader.cancel();
    await waiting;
  });

  it("After a reset a stream acknowledges the first event of the new socket at once", async () => {
    const { reader, thread, time } = await open("?after=0", {}, sayHi);
    for (let index = 0; index < 3; index++) await reader.nextFrame();
    const waiting = reader.next();
    await time.armed(1000);
    const subscriber = await reset({ thread, time });
    thread.emit({ type: "custom" });
    expect(await waiting).toMatchObject({ id: "4" });
    const more = reader.next();
    await subscriber.acknowledgedUpTo(4);
    expect(subscriberOf(thread).acknowledged).toEqual([1]);
    await reader.cancel();
    await more;
  });

  it("After a reset a stream does not acknowledge events of the old socket to the new one", async () => {
    const { reader, thread, time } = await open("?after=0");
    for (let seq = 1; seq <= 3; seq++) subscriberOf(thread).say(large(seq));
    await reader.next();
    const subscriber = await reset({ thread, time });
    subscriber.say(large(4));
    for (const id of ["1", "2", "3", "4"]) expect(await reader.nextFrame()).toMatchObject({ id });
    const more = reader.next();
    await subscriber.acknowledgedUpTo(4);
    expect(subscriber.acknowledged).toEqual([4]);
    await reader.cancel();
    await more;
  });

  it("A stream acknowledges a snapshot on a new socket although the snapshot's number is not higher than that of the last event", async () => {
    const { reader, thread, time } = await open("?after=0", {}, sayHi);
    for (let index = 0; index < 3; index++) await reader.nextFrame();
    const waiting = reader.nextFrame();
    await time.armed(1000);
    const subscriber = await reset({ thread, time });
    subscriber.say(JSON.stringify({ type: "snapshot", seq: 2 }));
    expect(await waiting).toMatchObject({ event: "snapshot" });
    const more = reader.next();
    await subscriber.acknowledgedUpTo(2);
    await reader.cancel();
    await more;
  });
});

describe("the socket", () => {
  it("A socket is passed to the object with the validated query", async () => {
    const { ask, seed } = testApp();
    const { id, object: thread } = seed();
    const response = await ask(`/api/threads/${id}/stream?after=4`, { headers: { upgrade: "websocket" } });
    expect(response.status).toBe(101);
    const socket = response.webSocket;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    socket?.addEventListener("message", ({ data }) => resolve(data));
    socket?.accept();
    sayHi(thread, 1);
    expect(JSON.parse(String(await promise))).toMatchObject({ seq: 1 });
    expect(thread.subscribers[0]?.url.searchParams.get("after")).toBe("4");
    socket?.close(1000);
  });
});
