// Attempts at one model request: how long each waits, which events are emitted, and which rows are written.

import { expect, it } from "vitest";

import { delayBeforeRetry, retryPolicy } from "#core/model/retry.ts";
import type { ModelFailure } from "#core/ports/model-port.ts";

import { Harness, modelNamed } from "./support/harness.ts";
import { failure, says, textBlock } from "./support/scripted-model.ts";
import type { ScriptPart } from "./support/scripted-model.ts";

const cut: ModelFailure = { kind: "network", message: "cut", retryable: true, status: null, retry_after_ms: null };
const patient = modelNamed("main", { retry: { maxRetries: 9 } });

/** Plays answers in order, and repeats the last one. */
function script(...answers: ScriptPart[][]) {
  return (_: unknown, number: number) => answers[Math.min(number, answers.length - 1)] ?? [];
}

it("A failed model request is retried three times, after a delay of 1 s that doubles each time, is at most 30 s, and varies by a fifth in both directions", () => {
  const delays = (attempts: number[], random: number, retries = 9) =>
    attempts.map((attempt) => delayBeforeRetry({ ...retryPolicy(undefined), retries }, cut, { attempt, random }));
  expect(delays([1, 2, 3, 4, 5, 6, 7], 0.5)).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  expect(delays([1, 6], 0)).toEqual([800, 24_000]);
  expect(delays([1, 6], 0.999_999)).toEqual([1200, 36_000]);
  expect(delays([1, 2, 3, 4], 0.5, retryPolicy(undefined).retries)).toEqual([1000, 2000, 4000, null]);
});

it("The delay before a retry is the provider's Retry-After if there is one, and a failure that is not retryable has no delay", () => {
  const policy = retryPolicy({ initialDelayMs: 5 });
  const requested = { ...cut, retry_after_ms: 7000 };
  expect(delayBeforeRetry(policy, requested, { attempt: 3, random: 0 })).toBe(7000);
  expect(delayBeforeRetry(policy, { ...requested, retry_after_ms: 0 }, { attempt: 1, random: 0 })).toBe(0);
  expect(delayBeforeRetry(policy, { ...requested, retryable: false }, { attempt: 1, random: 0 })).toBeNull();
});

it("The retry options of a request replace single values of the model's", async () => {
  const models = [modelNamed("main", { retry: { maxRetries: 9, initialDelayMs: 40 } })] as const;
  const harness = new Harness({
    script: script([failure()]),
    models: [...models],
    request: { retry: { maxRetries: 1 } },
  });
  await harness.finish();
  const retries = harness.events.filter((event) => event.type === "model_retry");
  expect(retries).toMatchObject([{ attempt: 2, max: 2, delay_ms: 40 }]);
});

it("The text of a failed attempt is retracted before anything else is emitted", async () => {
  const harness = new Harness({ script: script([...textBlock(0, "half"), failure()], says("whole")) });
  await harness.finish();
  const emitted = harness.events.map(({ type }) => type);
  expect(emitted.slice(emitted.indexOf("text_end") + 1, emitted.indexOf("text_end") + 4)).toEqual([
    "message_retracted",
    "model_retry",
    "message_start",
  ]);
  expect(harness.answers.map(({ parts }) => parts)).toEqual([[{ type: "text", text: "whole" }]]);
  expect(harness.events.find(({ type }) => type === "model_retry")).toMatchObject({
    attempt: 2,
    max: 4,
    delay_ms: 1000,
    error: { code: "network", retryable: true },
  });
});

it("A failed attempt without text emits no message_retracted", async () => {
  const harness = new Harness({ script: script([failure()], says("fine")) });
  await harness.finish();
  expect(harness.events.map(({ type }) => type)).not.toContain("message_retracted");
});

it("A model request is retried if its stream ends without an end event", async () => {
  const harness = new Harness({ script: script(textBlock(0, "half"), [], says("whole")) });
  expect(await harness.finish()).toMatchObject({ status: "completed" });
  expect(harness.clock.slept).toEqual([1000, 2000]);
});

it("Each attempt of a model request has a log row with its tokens, and the run counts the tokens of all attempts", async () => {
  const harness = new Harness({ script: script([failure()], [failure({ kind: "rate_limited" })], says("fine")) });
  await harness.finish();
  expect(harness.journal.logs.map(({ data }) => data)).toMatchObject([
    { attempt: 1, error: { kind: "network" }, usage: { input: 3 }, message_id: null, step: 1 },
    { attempt: 2, error: { kind: "rate_limited" }, usage: { input: 3 }, message_id: null, step: 1 },
    { attempt: 3, error: null, usage: { input: 10 }, message_id: harness.answers[0]?.id, step: 1 },
  ]);
  expect(harness.run.usage).toMatchObject({ input: 16, output: 5, total_tokens: 21 });
});

it("If a model failure is not retried, the run ends and keeps the text so far", async () => {
  const final = failure({ kind: "auth", message: "The key was refused.", retryable: false });
  const harness = new Harness({ script: script([...textBlock(0, "Well, ").slice(0, -1), final]) });
  expect(await harness.finish()).toEqual({
    status: "error",
    reason: "auth",
    error: { code: "auth", message: "The key was refused." },
  });
  expect(harness.answers).toMatchObject([{ stop_reason: "error", parts: [{ type: "text", text: "Well, " }] }]);
  expect(harness.clock.slept).toEqual([]);
});

it("A retry delay over ten seconds suspends the run, which continues with the next attempt", async () => {
  const long = failure({ kind: "rate_limited", retry_after_ms: 10_001 });
  const harness = new Harness({ script: script([...textBlock(0, "half"), long]), models: [patient] });
  const halt = await harness.drive();
  const until = harness.clock.now() + 10_001_000;
  expect(halt).toEqual({ type: "suspend", until });
  expect(harness.rows()).toMatchObject({ run: { progress: { retry: { model: 0, attempt: 2 } } }, until });
  expect([harness.clock.armed, harness.clock.slept, harness.answers]).toEqual([0, [], []]);

  const next = new Harness({ script: script([failure()], says("fine")), models: [patient], rows: harness.rows() });
  expect(await next.finish()).toMatchObject({ status: "completed" });
  expect(next.events.flatMap((event) => (event.type === "step_start" ? [event.attempt] : []))).toEqual([1, 2]);
  expect(next.clock.slept).toEqual([2000]);
  expect(next.journal.logs.map(({ data }) => data["attempt"])).toEqual([1, 2, 3]);
  expect(next.run).toMatchObject({ progress: { retry: null }, usage: { input: 16 } });
});

it("A retry delay of ten seconds does not suspend the run", async () => {
  const harness = new Harness({ script: script([failure({ retry_after_ms: 10_000 })], says("fine")) });
  await harness.finish();
  expect(harness.clock.slept).toEqual([10_000]);
});

it("If a request excludes thinking, the thinking is neither emitted nor stored, and its signature is stored", async () => {
  const provider_data = { provider: "anthropic", data: { signature: "s" } };
  const thought: ScriptPart[] = [
    { type: "thinking_start", index: 0 },
    { type: "thinking_delta", index: 0, delta: "secret" },
    { type: "thinking_end", index: 0, provider_data },
    ...textBlock(1, "Hi"),
    ...says().slice(-1),
  ];
  const harness = new Harness({ script: script(thought), reasoning: { exclude: true } });
  await harness.finish();
  expect(harness.answers[0]?.parts).toEqual([
    { type: "thinking", thinking: "", provider_data },
    { type: "text", text: "Hi" },
  ]);
  expect(JSON.stringify(harness.events)).not.toMatch(/secret|signature/);
});
