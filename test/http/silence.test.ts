// One timer for the silence of a stream (`sse-response.ts`).

import { expect, it } from "vitest";

import { Silence } from "#http/bridge/sse-response.ts";

import { ManualTime } from "./support/manual-timers.ts";
import { SseReader } from "./support/sse-reader.ts";
import { testApp } from "./support/test-app.ts";

/** A source whose deliveries the test makes ready. */
function testSource() {
  let ready = Promise.withResolvers<void>();
  const source = {
    ready: () => ready.promise,
    take: () => [],
    taken: () => undefined,
    ping: () => undefined,
    close: () => undefined,
    closed: false,
  };
  const deliver = (): void => {
    ready.resolve();
    ready = Promise.withResolvers();
  };
  return { source, deliver };
}

it("SSE6 A heartbeat is due fifteen seconds after the last event, with one timer for all waits", async () => {
  const time = new ManualTime();
  const silence = new Silence({ timers: time, now: time.now });
  const { source, deliver } = testSource();
  for (let at = 0; at < 10; at++) {
    const waiting = silence.wait(source);
    expect(time.pending).toBe(1);
    time.advance(1_000);
    deliver();
    await waiting;
  }
  let isDue = false;
  const last = silence.wait(source).then(() => (isDue = true));
  time.advance(5_000);
  await time.armed(10_000);
  time.advance(9_999);
  expect([time.pending, isDue]).toEqual([1, false]);
  time.advance(1);
  await last;
  expect(time.pending).toBe(0);
});

it("SSE6 A stream without a waiting reader sets no further timer, and the end of a stream cancels the timer", async () => {
  const time = new ManualTime();
  const silence = new Silence({ timers: time, now: time.now });
  const { source, deliver } = testSource();
  const first = silence.wait(source);
  deliver();
  await first;
  time.advance(60_000);
  expect(time.pending).toBe(0);
  const second = silence.wait(source);
  await time.armed(15_000);
  silence.end();
  expect(time.pending).toBe(0);
  deliver();
  await second;
});

it("SSE6 A stream sets one heartbeat timer for fifty events", async () => {
  const { ask, seed, time } = testApp();
  const { id, object: thread } = seed();
  const reader = new SseReader(await ask(`/api/threads/${id}/events?after=0`));
  await reader.next();
  let armed = 0;
  const after = time.after.bind(time);
  time.after = (milliseconds, run) => {
    // Shorter timers delay acknowledgements.
    if (milliseconds > 5_000) armed += 1;
    return after(milliseconds, run);
  };
  for (let at = 0; at < 50; at++) {
    const waiting = reader.nextFrame();
    time.advance(200);
    thread.emit({ type: "custom", name: "n", data: at });
    expect(await waiting).toMatchObject({ id: String(at + 1) });
  }
  expect(armed).toBe(1);
  await reader.cancel();
  expect(time.pending).toBe(0);
});
