// Combined signals in Node, while its garbage collector runs.

import { expect, it } from "vitest";

import { anySignal } from "#lib/any-signal.ts";

import { collectGarbage } from "../support/collect-garbage.ts";

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason), { once: true }));

it("A combined signal is aborted by a source with a time limit, also after the garbage collector ran", async () => {
  const inner = (): AbortSignal => anySignal([new AbortController().signal, AbortSignal.timeout(500)]);
  const reason = aborted(anySignal([new AbortController().signal, inner()]));
  await collectGarbage();
  expect(await reason).toMatchObject({ name: "TimeoutError" });
});

it("A combined signal is aborted with the reason of the first signal, and immediately if a source is already aborted", async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const signal = anySignal([first.signal, second.signal]);
  const reason = aborted(signal);
  second.abort("second");
  first.abort("first");
  expect([await reason, signal.aborted]).toEqual(["second", true]);
  expect(anySignal([first.signal]).reason).toBe("first");
});
