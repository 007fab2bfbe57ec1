// The usage of an attempt whose provider reported no tokens, or not all.

import { expect, it } from "vitest";

import { zeroUsage } from "#contract/usage.ts";
import { costOf } from "#core/model/cost.ts";
import { cutUsage, finishedUsage } from "#core/model/counted-usage.ts";

import { Harness } from "./support/harness.ts";
import { turn } from "./support/manual-clock.ts";
import { calls, failure, finish, says, textBlock } from "./support/scripted-model.ts";

const request = { system: "12345678", messages: [], tools: [] } as unknown as Parameters<typeof cutUsage>[0];

it("The usage of an interrupted answer has the reported tokens, estimates for missing counts, and no estimate if there was no text", () => {
  const words = ["x".repeat(40)];
  expect(cutUsage(request, null, [])).toEqual({ usage: zeroUsage, estimated: false });
  expect(cutUsage(request, null, words)).toEqual({
    usage: { ...zeroUsage, input: 2, output: 10, total_tokens: 12 },
    estimated: true,
  });
  // At the beginning of an answer Anthropic reports the prompt's tokens and one token of the answer.
  const begun = { input: 5, output: 1, cache_read: 100, cache_write: 7, total_tokens: 113 };
  expect(cutUsage(request, begun, words)).toEqual({
    usage: { ...begun, output: 10, total_tokens: 122 },
    estimated: true,
  });
  expect(cutUsage(request, begun, [])).toEqual({ usage: begun, estimated: false });
  const cached = { ...zeroUsage, cache_read: 100, output: 50, total_tokens: 150 };
  expect(cutUsage(request, cached, words)).toEqual({ usage: cached, estimated: false });
});

it.for([Number.POSITIVE_INFINITY, 1e308, 1e10, -5, Number.NaN])(
  "A reported token count of %d, which is impossible, is ignored, and the sums stay numbers",
  (wrong) => {
    const words = ["x".repeat(40)];
    const reported = { input: wrong, output: wrong, cache_read: wrong, cache_write: wrong, total_tokens: wrong };
    const usage = { ...zeroUsage, input: 2, output: 10, total_tokens: 12 };
    expect(finishedUsage(request, reported, words)).toEqual({ usage, estimated: true });
    expect(cutUsage(request, reported, words)).toEqual({ usage, estimated: true });
    expect(cutUsage(request, reported, [])).toEqual({ usage: zeroUsage, estimated: false });
    expect(costOf({ inputPrice: 1, outputPrice: 2 }, usage, wrong)).toBe(0.000022);
  },
);

it("If a provider reports an impossible token count, the message, the run and the log row have an estimated usage", async () => {
  const wrong = {
    ...zeroUsage,
    input: Number.POSITIVE_INFINITY,
    output: 1e308,
    total_tokens: Number.POSITIVE_INFINITY,
  };
  const script = () => [
    ...textBlock(0, "y".repeat(400)),
    finish({ usage: wrong, reported_cost: Number.POSITIVE_INFINITY }),
  ];
  const harness = new Harness({ script });
  await harness.finish();
  const usage = { ...zeroUsage, input: 6, output: 100, total_tokens: 106 };
  expect(harness.answers).toMatchObject([{ usage, cost: 206e-6 }]);
  expect(harness.run).toMatchObject({ usage, cost: 206e-6 });
  expect(harness.journal.logs).toMatchObject([{ data: { usage, usage_estimated: true } }]);
});

it("The estimated usage of a stopped answer is in its message, its run and its log row, and the log row marks it as estimated", async () => {
  const spoken = textBlock(0, "y".repeat(400)).slice(0, -1);
  const harness = new Harness({ script: () => [...spoken, { type: "hang" }] });
  const ended = harness.finish();
  await turn();
  harness.stop();
  await ended;
  const usage = { ...zeroUsage, input: 3, output: 100, total_tokens: 103 };
  expect(harness.answers).toMatchObject([{ usage, cost: 203e-6 }]);
  expect(harness.run).toMatchObject({ usage, cost: 203e-6 });
  expect(harness.journal.logs).toMatchObject([{ data: { usage, usage_estimated: true } }]);
});

it("The usage of an answer with reported tokens is not estimated, and that of an interrupted attempt before it is estimated and counted once", async () => {
  const script = (_: unknown, number: number) =>
    number === 0 ? [...textBlock(0, "z".repeat(80)).slice(0, -1), failure()] : says("done");
  const harness = new Harness({ script });
  const ended = harness.finish();
  await turn();
  await harness.clock.advance(5000);
  await ended;
  expect(harness.journal.logs.map(({ data }) => [data["usage_estimated"], data["usage"]])).toMatchObject([
    [true, { input: 3, output: 20 }],
    [undefined, { input: 10, output: 5 }],
  ]);
  expect(harness.run.usage).toMatchObject({ input: 13, output: 25, total_tokens: 38 });
});

it("The usage of an answer without reported tokens is estimated from the prompt, the tools and the answer's text", () => {
  const words = ["x".repeat(40)];
  const tool = { name: "note", description: "", parameters: {} };
  const offered = { ...request, tools: [tool] };
  const output = { ...zeroUsage, output: 10, total_tokens: 10 };
  const schema = Math.ceil(JSON.stringify(tool).length / 4);
  expect(finishedUsage(request, zeroUsage, words)).toMatchObject({ usage: { input: 2, output: 10 }, estimated: true });
  expect(finishedUsage(offered, zeroUsage, words)).toMatchObject({ usage: { input: 2 + schema }, estimated: true });
  // Each of the two counts may be reported alone.
  expect(finishedUsage(request, output, words)).toEqual({
    usage: { ...output, input: 2, total_tokens: 12 },
    estimated: true,
  });
  const prompt = { ...zeroUsage, cache_read: 9, total_tokens: 9 };
  expect(finishedUsage(request, prompt, words)).toMatchObject({ usage: { input: 0, output: 10, total_tokens: 19 } });
  // A reported count is used unchanged, also if the answer looks longer or is blank.
  const counted = { ...zeroUsage, input: 1, output: 1, total_tokens: 2 };
  expect(finishedUsage(request, counted, words)).toEqual({ usage: counted, estimated: false });
  expect(finishedUsage(request, prompt, [])).toEqual({ usage: prompt, estimated: false });
});

it("Estimated tokens of an answer are in message, run, cost and log row, and the log row marks them as estimated", async () => {
  const uncounted = finish({ usage: zeroUsage, stop_reason: "tool_calls" });
  const script = (_: unknown, number: number) =>
    number === 0 ? [...calls("c", ["echo", { text: "y".repeat(400) }]).slice(0, -1), uncounted] : says("done");
  const harness = new Harness({ script });
  await harness.finish();
  const [first] = harness.answers;
  expect(first?.usage?.output).toBeGreaterThan(100);
  expect(first?.usage?.input).toBeGreaterThan(0);
  expect(harness.journal.logs[0]?.data).toMatchObject({ usage: first?.usage, usage_estimated: true });
  expect(harness.run.usage.total_tokens).toBe((first?.usage?.total_tokens ?? 0) + 15);
  expect(harness.run.cost).toBeGreaterThan(200e-6);
});
