// The function of a prompt that summarizes dropped messages.

import { expect, it } from "vitest";

import { calledSummary } from "#flow/request/request-context.ts";

import { ManualClock } from "../core/support/manual-clock.ts";

it.each(["", " \n", "\u200b"])(
  "A summary function that returns a text without a visible character (%j) gives no summary",
  async (text) => {
    const dropped = { messages: [], previous: null, tokens: 100 };
    const context = { clock: new ManualClock(), signal: undefined };
    expect(await calledSummary(() => text, dropped, context)).toEqual({
      problem: expect.stringContaining("returned no text"),
    });
  },
);

it("A summary function that does not finish within 10 s gives no summary, and the reason names the limit", async () => {
  const clock = new ManualClock();
  const dropped = { messages: [], previous: null, tokens: 100 };
  const summary = calledSummary(() => new Promise(() => {}), dropped, { clock, signal: undefined });
  let result: unknown = null;
  const settled = summary.then((value) => (result = value));
  await clock.advance(9999);
  expect(result).toBeNull();
  await clock.advance(1);
  await settled;
  expect(result).toEqual({ problem: expect.stringContaining("did not finish within 10 s") });
  expect(clock.armed).toBe(0);
});
