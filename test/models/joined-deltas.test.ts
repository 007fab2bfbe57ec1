// Deltas of one block that arrive within a window are one part (`joinMs`). The window's timer is the test's.

import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";

import type { ModelPart } from "#core/ports/model-port.ts";
import type { Timers } from "#lib/timers.ts";

import { nextTurn, readArrival, type Arrival, type RequestCase } from "./both-paths.ts";
import { wireModels, type Block } from "./wire-answers.ts";

const encoder = new TextEncoder();
const seed = inject("modelServerSeed");

/** Timers that never run by themselves. */
function heldTimers() {
  const armed: { milliseconds: number; run: () => void }[] = [];
  const timers: Timers = {
    after(milliseconds, run) {
      const timer = { milliseconds, run };
      armed.push(timer);
      return () => void armed.splice(armed.indexOf(timer), armed.includes(timer) ? 1 : 0);
    },
  };
  return { armed, timers };
}

function arrivalOf(wire: (typeof wireModels)[number], blocks: readonly Block[]): Arrival {
  const events = wire.events(blocks, "finish").map((event) => `data: ${JSON.stringify(event)}\n\n`);
  return { pieces: [...events, wire.mark].map((text) => encoder.encode(text)) };
}

const deltasOf = (parts: readonly ModelPart[]): [number, string][] =>
  parts.flatMap((part): [number, string][] =>
    part.type.endsWith("_delta") && "delta" in part ? [[part.index, part.delta]] : [],
  );

/** The parts without the deltas' borders. */
function joined(parts: readonly ModelPart[]): unknown[] {
  const blocks = new Map<number, string>();
  for (const [index, delta] of deltasOf(parts)) blocks.set(index, (blocks.get(index) ?? "") + delta);
  const others = parts.filter((part) => part.type !== "raw" && !part.type.endsWith("_delta"));
  return [parts.filter((part) => part.type === "raw"), [...blocks], others];
}

const words = Array.from({ length: 12 }, (_, at) => ` word ${String(at)}`);

describe.for(wireModels.map((wire) => [wire.name, wire] as const))("%s", ([, wire]) => {
  it("ANSWER8 The first delta of a block is a part at once, and those that arrive in the window after it are one part", async () => {
    const { timers } = heldTimers();
    const read = await readArrival(arrivalOf(wire, [{ kind: "text", pieces: words }]), wire, { timers, joinMs: 30 });
    expect(deltasOf(read.parts)).toEqual([
      [0, words[0]],
      [0, words.slice(1).join("")],
    ]);
    expect(read.parts.at(-1)).toMatchObject({ type: "finish", stop_reason: "stop" });
    expect(read.chunks?.direct).toBeGreaterThan(words.length / 2);
  });

  it("ANSWER8 Joined deltas give the blocks, the raw log and the end of an answer whose deltas are not joined", async () => {
    const pieces = fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 });
    const kind = fc.constantFrom("text" as const, "thinking" as const);
    const blocks = fc.array(fc.record({ kind, pieces }), { minLength: 1, maxLength: 4 });
    const same = fc.asyncProperty(blocks, fc.boolean(), async (given, breaks) => {
      const requested: RequestCase = { ...wire, request: {} };
      const both = [{ joinMs: 30, timers: heldTimers().timers }, {}];
      const [one, other] = await Promise.all(
        both.map((options) => readArrival({ ...arrivalOf(wire, given), breaks }, requested, options)),
      );
      expect(joined(one?.parts ?? [])).toEqual(joined(other?.parts ?? []));
    });
    await fc.assert(same, { seed, numRuns: 30 });
  });
});

const chat = wireModels[1];

it("ANSWER8 A delta that arrives after the window is a part at once", async () => {
  const { armed, timers } = heldTimers();
  if (chat === undefined) throw new Error("no wire");
  const arrival = arrivalOf(chat, [{ kind: "text", pieces: words }]);
  const reader = (part: ModelPart): Promise<void> => {
    // Each window ends as soon as it has begun.
    if (part.type === "text_delta") for (const { run } of armed.splice(0)) run();
    return nextTurn();
  };
  const read = await readArrival(arrival, chat, { timers, joinMs: 30, reader });
  expect(deltasOf(read.parts).map(([, delta]) => delta)).toEqual(words);
});

it("ANSWER8 An aborted answer has the deltas that waited", async () => {
  if (chat === undefined) throw new Error("no wire");
  const arrival = { ...arrivalOf(chat, [{ kind: "text", pieces: words }]), abortsAfter: 8 };
  const read = await readArrival(arrival, chat, { timers: heldTimers().timers, joinMs: 30 });
  expect(
    deltasOf(read.parts)
      .map(([, delta]) => delta)
      .join(""),
  ).toBe(words.slice(0, 7).join(""));
  expect(read.parts.at(-1)).toMatchObject({ type: "error", failure: { kind: "aborted" } });
});

/** The windows of this number of answers at a time. `now` is the time of all of them. */
async function windowsOf(number: number, now: number): Promise<number[]> {
  if (chat === undefined) throw new Error("no wire");
  const { armed, timers } = heldTimers();
  const received = new Set<number>();
  const reader = (): Promise<void> => {
    // Longer timers limit the silence at the end of an answer.
    for (const { milliseconds } of armed) if (milliseconds < 1000) received.add(milliseconds);
    return nextTurn();
  };
  const read = () =>
    readArrival(arrivalOf(chat, [{ kind: "text", pieces: words }]), chat, {
      timers,
      joinMs: 30,
      now: () => now,
      reader,
    });
  await Promise.all(Array.from({ length: number }, read));
  return [...received];
}

it("ANSWER8 The window is shorter while few answers are read", async () => {
  expect(await windowsOf(1, 1_000)).toEqual([10]);
  expect(await windowsOf(12, 1_000)).toContain(30);
  expect(await windowsOf(1, 1_000)).toEqual([10]);
});

it("ANSWER8 Answers that never end, because their objects were reset, do not lengthen the window of later answers", async () => {
  if (chat === undefined) throw new Error("no wire");
  const { timers } = heldTimers();
  const reset = () =>
    new Promise<void>((resolve) => {
      const reader = ({ type }: ModelPart): Promise<void> => {
        if (type !== "text_delta") return nextTurn();
        resolve();
        return new Promise(() => undefined);
      };
      const options = { timers, joinMs: 30, now: () => 10_000, reader };
      void readArrival(arrivalOf(chat, [{ kind: "text", pieces: words }]), chat, options);
    });
  await Promise.all(Array.from({ length: 6 }, reset));
  expect(await windowsOf(1, 10_500)).toEqual([30]);
  expect(await windowsOf(1, 12_000)).toEqual([10]);
});
