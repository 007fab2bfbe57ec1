// A run that is answered with text.

import { expect, it } from "vitest";

import { Harness } from "./support/harness.ts";
import { finish, says, textBlock } from "./support/scripted-model.ts";

it("A text answer is emitted as blocks with deltas, is stored as a message, and ends the run", async () => {
  const harness = new Harness({ script: () => says("Hel", "lo") });
  expect(await harness.finish()).toEqual({ type: "end", status: "completed", reason: "response" });
  expect(harness.events.map(({ type }) => type)).toEqual([
    "run_start",
    "step_start",
    "message_start",
    "text_start",
    "text_delta",
    "text_delta",
    "text_end",
    "message_end",
    "step_end",
    "run_end",
  ]);
  expect(harness.answers).toMatchObject([
    { parts: [{ type: "text", text: "Hello" }], status: "complete", stop_reason: "stop", step: 1 },
  ]);
  expect(harness.model.requests[0]?.messages).toMatchObject([{ role: "user" }]);
});

it("An answer without content is stored as a message", async () => {
  const harness = new Harness({ script: () => [finish()] });
  await harness.finish();
  expect(harness.answers).toMatchObject([{ parts: [], stop_reason: "stop" }]);
});

it("The end of an answer closes a content block that the provider did not close", async () => {
  const harness = new Harness({ script: () => [...textBlock(0, "all of it").slice(0, -1), finish()] });
  await harness.finish();
  expect(harness.answers).toMatchObject([{ parts: [{ type: "text", text: "all of it" }] }]);
});

it("An answer is stored before its message_end is emitted", async () => {
  const harness = new Harness({ script: () => says("Hello"), killAt: "answer.before-create" });
  expect(await harness.drive()).toBeNull();
  const emitted = harness.events.map(({ type }) => type);
  expect([emitted.at(-1), harness.answers]).toEqual(["text_end", []]);
});

it("A step's tokens and cost are recorded in its message, its log row and the run", async () => {
  const harness = new Harness({ script: () => says("Hello") });
  await harness.finish();
  const cost = (10 * 1 + 5 * 2) / 1_000_000;
  expect(harness.answers[0]).toMatchObject({ usage: { input: 10, output: 5 }, cost });
  expect(harness.journal.logs).toMatchObject([
    { type: "llm_request", data: { usage: { input: 10 }, cost, attempt: 1 } },
  ]);
  expect(harness.run).toMatchObject({ usage: { input: 10, output: 5 }, cost, spent: { main: { cost } } });
});
