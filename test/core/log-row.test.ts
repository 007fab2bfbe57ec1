// The row that ends a step can always be written, whatever was thrown and whatever a provider sent.

import fc from "fast-check";
import { expect, it } from "vitest";

import { fitLog, logLimit } from "#core/record/fit-log.ts";
import { jsonBytes, mostJsonBytes } from "#lib/cut-text.ts";

import { logRecord } from "../store/records.ts";
import { Harness } from "./support/harness.ts";
import { calls, says } from "./support/scripted-model.ts";
import { ok, tool } from "./support/tool-box.ts";

it("A step with many failing calls ends, and its log row keeps at most 4 KB of each call's stack", async () => {
  const requested = Array.from({ length: 8 }, (): [string, object] => ["it", {}]);
  const script = (_: unknown, number: number) => (number === 0 ? calls("c", ...requested) : says("done"));
  const fails = tool("it", () => Promise.reject(new Error("x".repeat(300_000))));
  const claims = tool("it", async () => ({ ...ok(""), status: "error", error: "e", stack: "x".repeat(300_000) }));
  for (const it of [fails, claims]) {
    const harness = new Harness({ script, tools: [it] });
    expect(await harness.finish()).toMatchObject({ status: "completed" });
    const tools = harness.journal.logs[0]?.data["tools"] as unknown as { stack: string }[];
    expect(tools).toHaveLength(8);
    for (const one of tools) {
      expect(one.stack).toContain("characters left out]");
      expect(jsonBytes(one.stack)).toBeLessThanOrEqual(4096);
    }
  }
});

it("A call gets an error result if its tool throws an error with an invalid stack", async () => {
  const odd = Object.assign(new Error("odd"), { stack: { not: "text" } });
  const trap = Object.defineProperty(new Error("trap"), "stack", {
    get: () => {
      throw new Error("in the trap");
    },
  });
  for (const thrown of [odd, trap]) {
    const script = (_: unknown, number: number) => (number === 0 ? calls("c", ["it", {}]) : says("done"));
    const harness = new Harness({ script, tools: [tool("it", () => Promise.reject(thrown))] });
    await harness.finish();
    expect(harness.results[0]?.result).toEqual({ status: "error", error: thrown.message });
  }
});

it("A log row that is too large loses first the raw answer, then stacks, then the ids of messages that were left out", () => {
  const raw = "\u0000".repeat(256 * 1024);
  const stacked = (count: number) => Array.from({ length: count }, () => ({ name: "it", stack: "s".repeat(4000) }));
  const left_out = Array.from({ length: 60_000 }, (_, at) => `018f0000-0000-7000-8000-${at}`);
  const request = { messages: { count: 1, first: "a", left_out } };
  const fits = logRecord(1, { data: { raw, tools: stacked(1) } });
  expect(fitLog(fits)).toBe(fits);

  const first = fitLog(logRecord(1, { data: { raw, tools: stacked(100) } }));
  expect(first.data["tools"]).toEqual(stacked(100));
  expect(first.data["raw"]).toContain("of 262144 characters left out]");

  const second = fitLog(logRecord(1, { data: { raw, tools: stacked(600) } }));
  expect([second.data["raw"], (second.data["tools"] as unknown[])[599]]).toEqual(["", { name: "it" }]);

  const third = fitLog(logRecord(1, { data: { raw, tools: stacked(9), request } }));
  expect(third.data["request"]).toEqual({ messages: { count: 1, first: "a", left_out: [], left_out_count: 60_000 } });

  for (const row of [first, second, third]) expect(jsonBytes(row)).toBeLessThanOrEqual(logLimit);
});

it("The log row of an attempt with too much data is shortened to the limit of a row", async () => {
  const chunk = "\u0000".repeat(256 * 1024);
  const harness = new Harness({
    script: (_, number) =>
      number === 0
        ? [{ type: "raw", chunk }, ...calls("c", ...Array.from({ length: 90 }, () => ["it", {}] as [string, object]))]
        : says("done"),
    tools: [tool("it", () => Promise.reject(new Error("x".repeat(300_000))))],
  });
  await harness.finish();
  for (const row of harness.journal.logs) expect(jsonBytes(row)).toBeLessThanOrEqual(logLimit);
  expect(harness.journal.logs[0]?.data["raw"]).toContain("characters left out]");
});

it("The computed upper bound for the size of a value is never below the size of its JSON in bytes", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\u0000", "\ud800", "\u{1f600}", '"\\', "\u2028"),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.double(),
      fc.constantFrom(-1.2345678901234567e-308, null, true, undefined),
      fc.array(tie("value")),
      fc.dictionary(text, tie("value")),
    ),
  }));
  const seed = Date.now() % 2 ** 31;
  console.info(`seed ${seed}`);
  const isBound = fc.property(value, (given) => {
    expect(mostJsonBytes(given)).toBeGreaterThanOrEqual(jsonBytes(given));
  });
  fc.assert(isBound, { numRuns: 500, seed });
});
