// One subscription receives every event: through waits, eviction, hibernation and crashes, from any number on.

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";

import type { PlainEvent, ThreadEvent } from "#contract/event.ts";
import { foldAll } from "#contract/fold.ts";
import { acknowledgeWindow } from "#contract/stream-limits.ts";

import { skip } from "../worker/clock.ts";
import { scripts } from "../worker/definitions.ts";
import { madeObjects } from "../worker/made-objects.ts";
import { Follower } from "./follower.ts";
import type { Kind } from "./follower.ts";
import { SlowReader } from "./slow-reader.ts";
import { waitFor } from "./team-driver.ts";
import {
  admin,
  alarmOf,
  converse,
  crash,
  evict,
  follow,
  message,
  newThread,
  stubOf,
  value,
  withNamedThread,
} from "./thread-driver.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The seed of property tests that wait (vitest.config.ts). */
    seed: number;
  }
}

const page = { limit: 200, order: "asc" as const, include_silent: false };
const kinds: readonly Kind[] = ["socket", "sse"];

/** An event as all readers receive it: without the fields that differ from reader to reader. */
function bare(event: ThreadEvent): object {
  return { ...withNamedThread(event), prev: undefined };
}

function isDelta(event: ThreadEvent): boolean {
  return event.type.endsWith("_delta");
}

function alarm(id: string): Promise<boolean> {
  return runDurableObjectAlarm(env.THREADS.get(env.THREADS.idFromName(id)));
}

/** A run whose model requires a pause of a minute: the run is suspended as rows and an alarm, and the object is evicted meanwhile. */
async function restingRun(id: string, watcher: Follower): Promise<void> {
  let requested = 0;
  scripts.set("patience", () => {
    requested += 1;
    return requested === 1
      ? { text: "half", error: { kind: "rate_limited", message: "slow down", retryAfterMs: 60_000 } }
      : { text: "patient answer" };
  });
  const { run } = await value(stubOf(id).call("postMessage", admin, message("patience"), null));
  await watcher.until((event) => event.type === "model_retry" && event.run_id === run?.id);
  const { message: said } = await value(
    stubOf(id).call("postMessage", admin, message("meanwhile", { run: false }), null),
  );
  await watcher.until((event) => event.type === "message_end" && event.message_id === said?.id);
  await evict(id);
  skip(61_000);
  await alarm(id);
  await watcher.until((event) => event.type === "run_end" && event.run_id === run?.id);
}

/** A run that is interrupted in its answer, and finished by the next instance of the object. */
async function cutRun(id: string, watcher: Follower): Promise<void> {
  let requested = 0;
  scripts.set("cut", () => {
    requested += 1;
    return requested === 1
      ? { text: Array.from({ length: 5000 }, () => "lost "), delayMs: 20 }
      : { text: "whole answer" };
  });
  const { run } = await value(stubOf(id).call("postMessage", admin, message("cut"), null));
  await watcher.until((event) => event.type === "text_delta" && event.run_id === run?.id);
  await crash(id);
  await alarm(id);
  await watcher.until((event) => event.type === "run_end" && event.run_id === run?.id);
}

/** A run that the watcher has received to its end. */
async function wholeRun(id: string, watcher: Follower, text: string): Promise<void> {
  const last = (await converse(id, text)).at(-1)?.seq;
  await watcher.until((event) => event.seq === last);
}

async function toolRun(id: string, watcher: Follower): Promise<void> {
  scripts.set("tools", ({ step }) =>
    step === 0
      ? {
          text: "Let me see.",
          toolCalls: [
            { name: "note", arguments: { text: "followed" } },
            { name: "stream", arguments: { parts: ["a", "b", "c"] } },
          ],
        }
      : { text: ["one ", "two ", "three"] },
  );
  await wholeRun(id, watcher, "tools");
}

/** The parts of the thread's life, in order. */
const life: readonly ((id: string, watcher: Follower) => Promise<unknown>)[] = [
  (id, watcher) => wholeRun(id, watcher, "first"),
  toolRun,
  restingRun,
  (id) => evict(id),
  toolRun,
  (id) => crash(id),
  (id, watcher) => wholeRun(id, watcher, "after a crash"),
  cutRun,
  (id) => evict(id),
  (id, watcher) => wholeRun(id, watcher, "last"),
];

/** A reader that joins before a part of the thread's life or after the last one, and the share of the earlier events that it leaves out. */
const joining = fc.record({
  kind: fc.constantFrom(...kinds),
  before: fc.nat({ max: life.length }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
});
type Joining = typeof joining extends fc.Arbitrary<infer T> ? T : never;

/** Readers that join at the ends: before and after everything, with no event and with the thread's last number. */
const atEnds: Joining[] = kinds.flatMap((kind) =>
  [0, life.length].flatMap((before) => [0, 1].map((share) => ({ kind, before, share }))),
);

async function lived(joinings: readonly Joining[]) {
  const id = await newThread("parallel");
  const constant = await Promise.all(kinds.map((kind) => Follower.open(kind, id, 0)));
  const [watcher] = constant;
  if (watcher === undefined) throw new Error("nobody watches");
  const late: Follower[] = [];
  for (let part = 0; part <= life.length; part += 1) {
    for (const { kind, share } of joinings.filter(({ before }) => before === part)) {
      const emitted = watcher.events;
      const after = emitted[Math.floor(share * emitted.length) - 1]?.seq ?? 0;
      late.push(await Follower.open(kind, id, after));
    }
    await life[part]?.(id, watcher);
  }
  // An event after the last join: a reader that joined with the thread's last number receives it too.
  await converse(id, "afterwards");
  const replay = await follow(id, { after: "0", until: "idle" });
  await replay.closed;
  const last = replay.events.at(-1)?.seq ?? 0;
  const followers = [...constant, ...late];
  await Promise.all(followers.map((follower) => follower.until((event) => event.seq === last)));
  await Promise.all(followers.map((follower) => follower.leave()));
  return { id, constant, followers, replay: replay.events };
}

describe("a follower without an end", () => {
  const seed = inject("seed");

  it(`FOLLOW1, FOLLOW2 A follower that starts at any event number receives every later event once, over SSE and WebSocket, through waits, evictions and crashes (seed ${String(seed)})`, async () => {
    const property = fc.asyncProperty(fc.array(joining, { minLength: 4, maxLength: 8 }), async (joinings) => {
      const { id, constant, followers, replay } = await lived(joinings);
      const { items } = await value(stubOf(id).call("listMessages", admin, page));
      const transcript = items.map(({ id: of, content }) => [of, content]);
      const kept = new Map(replay.filter((event) => !isDelta(event)).map((event) => [event.seq, bare(event)]));
      const live = new Map((constant[0]?.events ?? []).map((event) => [event.seq, bare(event)]));
      for (const { after, events, faults } of followers) {
        expect(faults).toEqual([]);
        const whole = events.filter((event) => !isDelta(event));
        // All stored events arrive once and in order.
        expect(whole.filter(({ seq }) => kept.has(seq)).map(bare)).toEqual(
          [...kept].filter(([seq]) => seq > after).map(([, event]) => event),
        );
        // Other events are those of attempts that were retracted, and equal the ones that live readers received.
        for (const event of whole) if (!kept.has(event.seq)) expect(bare(event)).toEqual(live.get(event.seq));
        const before = (constant[0]?.events ?? []).filter(({ seq }) => seq <= after);
        const view = foldAll([...before, ...events]);
        expect(view.messages.map(({ id: of, content }) => [of, content])).toEqual(transcript);
      }
      for (const follower of constant) expect(textsOf(follower.events)).toEqual(textsOf(replay));
    });
    await fc.assert(property, { seed, numRuns: 7, examples: [[atEnds]], endOnFailure: true });
  }, 120_000);
});

describe("a slow follower", () => {
  it("FOLLOW1 If a thread is evicted after a slow follower has received a part of a replay, the follower still receives every event once", async () => {
    const lines = Array.from({ length: 150 }, (_, index) => ({
      role: "user",
      content: `${index} ${"x".repeat(4000)}`,
    }));
    const id = await newThread("parallel", { initial_messages: lines });
    const whole = await follow(id, { after: "0", until: "idle" });
    await whole.closed;
    const slow = await SlowReader.open(id);
    await slow.until(() => slow.size > acknowledgeWindow);
    slow.acknowledge();
    await slow.until(() => slow.size > 2 * acknowledgeWindow);
    expect(slow.events.length).toBeLessThan(whole.events.length);
    await evict(id);
    await slow.goOn(whole.events.at(-1)?.seq ?? 0);
    expect(slow.events).toEqual(whole.events);
  });
});

/** The text of each finished message from its deltas, joined by their offsets: nothing missing, nothing repeated. */
function textsOf(events: readonly PlainEvent[] | readonly ThreadEvent[]): Record<string, string> {
  const finished = new Set(events.flatMap((event) => (event.type === "message_end" ? [event.message_id] : [])));
  const texts: Record<string, string> = {};
  for (const event of events) {
    if (event.type !== "text_delta" || !finished.has(event.message_id)) continue;
    const key = `${String(event.message_id)} ${String(event.index)}`;
    expect(event.offset).toBe(texts[key]?.length ?? 0);
    texts[key] = (texts[key] ?? "") + event.delta;
  }
  return texts;
}

describe("an idle thread with followers of both kinds", () => {
  it("FOLLOW3 An idle thread with followers over SSE and WebSocket can be evicted, sets no alarm, is not woken by them, and sends them later events", async () => {
    const id = await newThread("parallel");
    const followers = await Promise.all(kinds.map((kind) => Follower.open(kind, id, 0)));
    await converse(id, "first");
    for (const follower of followers) await follower.until((event) => event.type === "run_end");
    // The run is written to the catalog, and after that the thread has no work left.
    await waitFor(async () => (await alarmOf(id)) === null);
    await evict(id);
    const made = madeObjects.count;
    for (const follower of followers) if (follower.kind === "socket") await follower.ping();
    // Another thread runs meanwhile: one object is constructed, and it is not this thread's.
    await converse(await newThread("parallel"), "elsewhere");
    for (const follower of followers) if (follower.kind === "socket") await follower.ping();
    expect(madeObjects.count).toBe(made + 1);
    // The object was hibernating until now, and no alarm would have woken it.
    expect(await alarmOf(id)).toBeNull();
    expect(madeObjects.count).toBe(made + 2);
    await evict(id);

    const said = ["first", "echo: first", "second", "echo: second"];
    const emitted = (await converse(id, "second")).at(-1)?.seq;
    for (const follower of followers) {
      await follower.until((event) => event.seq === emitted);
      expect(follower.faults).toEqual([]);
      expect(foldAll(follower.events).messages.map(({ content }) => content)).toEqual(said);
      await follower.leave();
    }
  });
});
