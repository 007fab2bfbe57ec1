// A thread's tokens and cost while a run is active: those of its record, and those of steps that ended after the record was read.

import { expect, it } from "vitest";

import { isOfStep, total } from "#playground/conversation/use-figures.ts";

const usage = (input: number) => ({ input, output: 1, cache_read: 0, cache_write: 0, total_tokens: input + 1 });
const step = (seq: number, cost: number | null) =>
  ({ seq, type: "step_end", thread_id: "t", at: 1, usage: usage(10), stop_reason: "stop", cost }) as const;

it("The displayed usage of a thread is that of its record plus the steps that ended later", () => {
  const record = { usage: usage(100), cost: 1, last_seq: 20 };
  expect(total(record, [step(20, 5), step(21, 0.25), step(30, 0.25)])).toEqual({
    usage: { input: 120, output: 3, cache_read: 0, cache_write: 0, total_tokens: 123 },
    cost: 1.5,
  });
  expect(total(record, [step(21, null)]).cost).toBeNull();
});

it("The usage of an answer is shown until its step ends, and then the usage of the step", () => {
  const of = { run_id: "r", step: 2 } as const;
  const answer = { type: "message_end", seq: 22, thread_id: "t", at: 1, ...of } as Parameters<typeof isOfStep>[0];
  expect(isOfStep(answer, { ...step(23, 1), ...of })).toBe(true);
  for (const other of [{ run_id: "s" }, { step: 3 }, { depth: 1 }, { parent_id: "m" }]) {
    expect(isOfStep(answer, { ...step(23, 1), ...of, ...other })).toBe(false);
  }
});
