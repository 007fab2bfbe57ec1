// A model that sends nothing for too long.

import { expect, it } from "vitest";

import { Harness, modelNamed } from "./support/harness.ts";
import { says, textBlock } from "./support/scripted-model.ts";
import type { ScriptPart } from "./support/scripted-model.ts";

const hang: ScriptPart = { type: "hang" };
let open = () => {};

it("A model request times out and is retried if the first part of the answer does not arrive within 120 s", async () => {
  const harness = new Harness({ script: (_, number) => (number === 0 ? [hang] : says("fine")) });
  const ended = harness.finish();
  await harness.clock.advance(119_999);
  expect(harness.model.requests).toHaveLength(1);
  await harness.clock.advance(1);
  await ended;
  expect(harness.events.find(({ type }) => type === "model_retry")).toMatchObject({
    error: { code: "timeout", message: "The model sent nothing for 120 s.", retryable: true },
  });
  expect(harness.answers).toMatchObject([{ parts: [{ text: "fine" }] }]);
  expect(harness.clock.armed).toBe(0);
});

it("HINT1 A model request that times out names the file of the model's definition", async () => {
  const harness = new Harness({ script: (_, number) => (number === 0 ? [hang] : says("fine")) });
  const file = (name: string): string => ` (model "m" of agents/models/${name}.ts)`;
  Object.assign(harness.model, { definitionNote: ({ name }: { name: string }) => file(name) });
  const ended = harness.finish();
  await harness.clock.advance(120_000);
  await ended;
  expect(harness.events.find(({ type }) => type === "model_retry")).toMatchObject({
    error: { code: "timeout", message: `The model sent nothing for 120 s.${file("main")}` },
  });
});

it("A model request with a pause of 60 s between two parts times out, and the text so far is retracted", async () => {
  const script = (_: unknown, number: number) => (number === 0 ? [...textBlock(0, "half"), hang] : says("fine"));
  const harness = new Harness({ script });
  const ended = harness.finish();
  await harness.clock.advance(59_999);
  expect(harness.model.requests).toHaveLength(1);
  await harness.clock.advance(1);
  await ended;
  expect(harness.events.find(({ type }) => type === "message_retracted")).toMatchObject({ reason: "retry" });
  expect(harness.journal.logs[0]?.data).toMatchObject({ error: { kind: "timeout" } });
});

it("The time limit of 60 s between two parts of an answer begins with the last part, not with the first", async () => {
  const later: ScriptPart = { type: "wait", open: new Promise((resolve) => (open = () => resolve(undefined))) };
  const half: ScriptPart[] = [...textBlock(0, "half"), later, ...textBlock(1, "more"), hang];
  const harness = new Harness({ script: (_, number) => (number === 0 ? half : says("fine")) });
  const ended = harness.finish();
  await harness.clock.advance(50_000);
  open();
  await harness.clock.advance(59_999);
  expect(harness.model.requests).toHaveLength(1);
  await harness.clock.advance(1);
  await ended;
  expect(harness.model.requests).toHaveLength(2);
  expect(harness.clock.armed).toBe(0);
});

it("The time limit between two parts begins with the first part of an answer, also if that part arrives after a longer time than this limit", async () => {
  const { parts: waits, open: openGate } = gates(1);
  const script = (_: unknown, number: number) =>
    number === 0 ? [...waits, ...textBlock(0, "late"), hang] : says("fine");
  const harness = new Harness({ script, models: [modelNamed("main", { timeouts: { silenceMs: 5000 } })] });
  const ended = harness.finish();
  await harness.clock.advance(7000);
  openGate(0);
  await harness.clock.advance(4999);
  expect(harness.model.requests).toHaveLength(1);
  await harness.clock.advance(1);
  await ended;
  expect(harness.events.find(({ type }) => type === "model_retry")).toMatchObject({
    error: { message: "The model sent nothing for 5 s." },
  });
  expect(harness.clock.armed).toBe(0);
});

it("Every part of an answer restarts the time limit of 60 s, however long the whole answer takes", async () => {
  const open: (() => void)[] = [];
  const part = (text: string): ScriptPart[] => [
    { type: "wait", open: new Promise((resolve) => open.push(resolve)) },
    { type: "text_delta", index: 0, delta: text },
  ];
  const [start, ...rest] = textBlock(0);
  const script = () => [start, part("a"), part("b"), part("c"), rest, says().slice(-1)].flat() as ScriptPart[];
  const harness = new Harness({ script });
  const ended = harness.finish();
  for (let at = 0; at < 3; at += 1) {
    await harness.clock.advance(50_000);
    open[at]?.();
  }
  await ended;
  expect(harness.answers).toMatchObject([{ parts: [{ text: "abc" }] }]);
  expect(harness.model.requests).toHaveLength(1);
});

/** Parts of a script, each of which waits until the test opens it. */
function gates(count: number): { parts: ScriptPart[]; open: (at: number) => void } {
  const opens: (() => void)[] = [];
  const parts = Array.from({ length: count }, (): ScriptPart => {
    return { type: "wait", open: new Promise((resolve) => opens.push(() => resolve(undefined))) };
  });
  return { parts, open: (at) => opens[at]?.() };
}

it("Bytes of a response that contain no part of the answer restart the time limits of the request", async () => {
  const { parts: waits, open: openGate } = gates(6);
  const kept = waits.map((wait): ScriptPart[] => [wait, { type: "bytes" }]);
  const [start, ...rest] = textBlock(0, "whole");
  const script = () =>
    [...kept.slice(0, 3).flat(), start, ...kept.slice(3).flat(), ...rest, says().at(-1)] as ScriptPart[];
  const harness = new Harness({ script });
  const ended = harness.finish();
  for (let at = 0; at < 6; at += 1) {
    await harness.clock.advance(at < 3 ? 119_000 : 59_000);
    openGate(at);
  }
  await ended;
  expect(harness.model.requests).toHaveLength(1);
  expect(harness.answers).toMatchObject([{ parts: [{ text: "whole" }] }]);
  expect(harness.clock.armed).toBe(0);
});

it("A model request times out 120 s after the last bytes if no part of the answer has arrived", async () => {
  const { parts: waits, open: openGate } = gates(1);
  const script = (_: unknown, number: number) =>
    number === 0 ? [...waits, { type: "bytes" as const }, hang] : says("fine");
  const harness = new Harness({ script });
  const ended = harness.finish();
  await harness.clock.advance(100_000);
  openGate(0);
  await harness.clock.advance(119_999);
  expect(harness.model.requests).toHaveLength(1);
  await harness.clock.advance(1);
  await ended;
  expect(harness.events.find(({ type }) => type === "model_retry")).toMatchObject({ error: { code: "timeout" } });
});

it("A first chunk without content does not end the time limit of 120 s for the first part of an answer", async () => {
  const announced: ScriptPart[] = [{ type: "raw", chunk: "{}" }, hang];
  const harness = new Harness({ script: (_, number) => (number === 0 ? announced : says("fine")) });
  const ended = harness.finish();
  await harness.clock.advance(119_999);
  expect(harness.model.requests).toHaveLength(1);
  await harness.clock.advance(1);
  await ended;
  expect(harness.model.requests).toHaveLength(2);
});

it.for([
  ["a model that hides its thinking", { thinksInSilence: true }, 600_000, 600_000],
  [
    "a definition",
    { models: [modelNamed("main", { timeouts: { firstByteMs: 900_000, silenceMs: 5000 } })] },
    900_000,
    5000,
  ],
  [
    "a request, which take precedence over the definition's",
    { models: [modelNamed("main", { timeouts: { silenceMs: 5000 } })], request: { timeouts: { silenceMs: 7000 } } },
    120_000,
    7000,
  ],
  ["a definition of one limit", { models: [modelNamed("main", { timeouts: { silenceMs: 5000 } })] }, 120_000, 5000],
] as const)("A connection without bytes is bounded by the limits of %s", async ([, setup, first, next]) => {
  const scripts: ScriptPart[][] = [[hang], [...textBlock(0, "half"), hang], says("fine")];
  const script = (_: unknown, number: number) => scripts[number] ?? [];
  const { models, ...more } = { models: undefined, ...setup };
  const harness = new Harness({ script, ...more, ...(models === undefined ? {} : { models: [...models] }) });
  const ended = harness.finish();
  // The second request is made after a back-off of a second.
  for (const [made, limit] of [
    [1, first],
    [2, 1000 + next],
  ] as const) {
    await harness.clock.advance(limit - 1);
    expect(harness.model.requests).toHaveLength(made);
    await harness.clock.advance(1);
  }
  await ended;
  expect(harness.answers).toMatchObject([{ parts: [{ text: "fine" }] }]);
  expect(harness.journal.logs.slice(0, 2).map(({ data }) => data["error"])).toMatchObject([
    { kind: "timeout", message: `The model sent nothing for ${first / 1000} s.` },
    { kind: "timeout", message: `The model sent nothing for ${next / 1000} s.` },
  ]);
});
