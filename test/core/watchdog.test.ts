// A model that says nothing for too long.

import { expect, it } from "vitest";

import { Harness } from "./support/harness.ts";
import { says, textBlock } from "./support/scripted-model.ts";
import type { ScriptPart } from "./support/scripted-model.ts";

const hang: ScriptPart = { type: "hang" };
let open = () => {};

it("QUIET1: no first part within 120 s is a timeout, and the request is made again", async () => {
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

it("QUIET2: 60 s between two parts are too long, and what was shown is retracted", async () => {
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

it("QUIET2: the 60 s begin with the last part, not with the first", async () => {
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

it("QUIET3: every part winds the clock up again, however long the answer takes", async () => {
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
