// A text that is requested from a model in addition to the steps of a run, such as a summary.

import { expect, it } from "vitest";

import { zeroUsage } from "#contract/usage.ts";
import { requestText } from "#core/model/request-text.ts";
import { noFaults } from "#core/ports/faults.ts";
import type { ModelPart, ModelPort, ModelRequest } from "#core/ports/model-port.ts";

import { modelNamed } from "./support/harness.ts";
import { ManualClock } from "./support/manual-clock.ts";

const request: ModelRequest = {
  model: modelNamed("main"),
  system: "Summarize.",
  messages: [],
  tools: [],
  toolChoice: "none",
  parallelToolCalls: false,
  reasoning: null,
  temperature: null,
  maxTokens: null,
};

it("A model request for a text is cancelled after 64 Ki characters, and the text up to there is the answer", async () => {
  let sent = 0;
  let closed = false;
  async function* stream(): AsyncGenerator<ModelPart> {
    try {
      for (; sent < 1000; sent += 1) yield { type: "text_delta", index: 0, delta: "word ".repeat(1000) };
    } finally {
      closed = true;
    }
  }
  const models: ModelPort = { stream };
  const ports = { models, clock: new ManualClock(), faults: noFaults };
  const { text, failure, usage } = await requestText(request, ports, new AbortController().signal);
  expect([text.length <= 64 * 1024, failure, closed]).toEqual([true, null, true]);
  expect(sent).toBeLessThan(20);
  expect(usage.output).toBeGreaterThan(10_000);
});

it("LIMIT31 A request for a text does not allow further requests for the same answer, because its share is for one request", async () => {
  const allowed: (boolean | undefined)[] = [];
  async function* stream({ continues }: ModelRequest): AsyncGenerator<ModelPart> {
    allowed.push(continues?.({ usage: zeroUsage, texts: [] }));
    yield { type: "text_delta", index: 0, delta: "Short." };
  }
  const ports = { models: { stream }, clock: new ManualClock(), faults: noFaults };
  await requestText(request, ports, new AbortController().signal);
  expect(allowed).toEqual([false]);
});
