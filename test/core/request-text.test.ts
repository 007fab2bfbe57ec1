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

it("A request for a text returns the id of the gateway's log, after an answer and after a failure", async () => {
  const usage = zeroUsage;
  const failure = { kind: "api", message: "no", retryable: false, status: 400, retry_after_ms: null } as const;
  const ends: ModelPart[] = [
    {
      type: "finish",
      stop_reason: "stop",
      usage,
      reported_cost: null,
      model_id: "m",
      gateway_log_id: "01LOG",
    } as never,
    { type: "error", failure, gateway_log_id: "02LOG" },
    { type: "error", failure },
  ];
  const ids: unknown[] = [];
  for (const end of ends) {
    async function* stream(): AsyncGenerator<ModelPart> {
      yield end;
    }
    const ports = { models: { stream }, clock: new ManualClock(), faults: noFaults };
    ids.push((await requestText(request, ports, new AbortController().signal)).gateway_log_id);
  }
  expect(ids).toEqual(["01LOG", "02LOG", undefined]);
});
