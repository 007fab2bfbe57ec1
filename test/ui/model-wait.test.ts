// The wait for a model's first token, computed from events.

import { expect, it } from "vitest";

import type { ThreadEvent } from "#client/index.ts";
import { waitAfter } from "#playground/conversation/use-model-wait.ts";

const base = { seq: 1, thread_id: "t", at: 5_000_000, run_id: "r" };
const started = { ...base, type: "step_start", model: "m", attempt: 1 } as unknown as ThreadEvent;
const retried = { ...base, type: "model_retry", attempt: 2, max: 4, delay_ms: 1 } as unknown as ThreadEvent;

it("The displayed wait for the model begins with a step, counts attempts, and ends with the first delta, the step or the run", () => {
  const wait = waitAfter(null, started, 100);
  expect(wait).toEqual({ since: 100, attempt: 1, of: null });
  const again = waitAfter(wait, retried, 300);
  expect(again).toEqual({ since: 300, attempt: 2, of: 4 });
  expect(waitAfter(again, { ...base, type: "text_start" } as unknown as ThreadEvent, 400)).toBe(again);
  for (const type of ["text_delta", "thinking_delta", "toolcall_end", "step_end", "run_end"]) {
    expect(waitAfter(again, { ...base, type } as unknown as ThreadEvent, 400)).toBeNull();
  }
});

it("The displayed wait for the model ignores requests of nested prompts", () => {
  const wait = waitAfter(null, started, 100);
  for (const below of [{ depth: 1 }, { parent_id: "m" }]) {
    expect(waitAfter(null, { ...started, ...below } as unknown as ThreadEvent, 200)).toBeNull();
    expect(waitAfter(wait, { ...base, type: "text_delta", ...below } as unknown as ThreadEvent, 200)).toBe(wait);
  }
});

it("The displayed wait for the model of a page that is opened later counts from the start of the step by the server's clock", () => {
  const snapshot = { ...base, type: "snapshot", at: 12_000_000, partial: [started] } as unknown as ThreadEvent;
  expect(waitAfter(null, snapshot, 1000)).toEqual({ since: 1000 - 7000, attempt: 1, of: null });
  const over = { ...base, type: "snapshot", at: 12_000_000, partial: [] } as unknown as ThreadEvent;
  expect(waitAfter(waitAfter(null, started, 100), over, 1000)).toBeNull();
});
