// The order of models in the chain of fallbacks.

import { expect, it } from "vitest";

import type { ModelRequest } from "#core/ports/model-port.ts";

import { Harness, modelNamed } from "./support/harness.ts";
import { failure, says, textBlock } from "./support/scripted-model.ts";

const final = failure({ kind: "auth", retryable: false });
const names = (harness: Harness) => harness.model.requests.map((request) => (request as ModelRequest).model.name);

it("After a model failure that is not retried, the run uses the fallback model, and the text of the failed model is retracted", async () => {
  const models: [ReturnType<typeof modelNamed>, ...ReturnType<typeof modelNamed>[]] = [
    modelNamed("main"),
    modelNamed("spare", { inputPrice: 100 }),
  ];
  const script = ({ model }: ModelRequest) => (model.name === "main" ? [...textBlock(0, "ha"), final] : says("fine"));
  const harness = new Harness({ script, models });
  await harness.finish();
  expect(names(harness)).toEqual(["main", "spare"]);
  const emitted = harness.events.filter(({ type }) => type.startsWith("m") && type !== "message_end");
  expect(emitted).toMatchObject([
    { type: "message_start" },
    { type: "message_retracted", reason: "fallback" },
    { type: "model_fallback", from: "main", to: "spare", error: { code: "auth" } },
    { type: "message_start" },
  ]);
  expect(harness.answers).toMatchObject([{ model: "spare", parts: [{ text: "fine" }] }]);
  expect(Object.keys(harness.run.spent)).toEqual(["main", "spare"]);
});

it("Each fallback model is used after the retries of the model before it, and the failure of the last one ends the run", async () => {
  const models: [ReturnType<typeof modelNamed>, ...ReturnType<typeof modelNamed>[]] = [
    modelNamed("main", { retry: { maxRetries: 1 } }),
    modelNamed("spare", { retry: { maxRetries: 2, initialDelayMs: 10, multiplier: 3 } }),
  ];
  const harness = new Harness({ script: () => [failure()], models });
  expect(await harness.finish()).toMatchObject({ status: "error", reason: "network" });
  expect(names(harness)).toEqual(["main", "main", "spare", "spare", "spare"]);
  expect(harness.clock.slept).toEqual([1000, 10, 30]);
  expect(harness.journal.logs.map(({ data }) => data["attempt"])).toEqual([1, 2, 1, 2, 3]);
});

it("A model's fallbacks are used, and the fallbacks of those fallbacks are not", async () => {
  const models: [ReturnType<typeof modelNamed>, ...ReturnType<typeof modelNamed>[]] = [
    modelNamed("main", { fallbacks: ["spare"] }),
    modelNamed("spare", { fallbacks: ["third"] }),
  ];
  const harness = new Harness({ script: () => [final], models });
  await harness.finish();
  expect(names(harness)).toEqual(["main", "spare"]);
});

it("If a run is suspended for a retry of a fallback model, it continues with that fallback model", async () => {
  const models: [ReturnType<typeof modelNamed>, ...ReturnType<typeof modelNamed>[]] = [
    modelNamed("main"),
    modelNamed("spare"),
  ];
  const script = ({ model }: ModelRequest) => [model.name === "main" ? final : failure({ retry_after_ms: 60_000 })];
  const first = new Harness({ script, models });
  expect(await first.drive()).toMatchObject({ type: "suspend" });
  expect(first.run.progress.retry).toEqual({ step: 1, model: 1, attempt: 2 });
  const second = new Harness({ script: () => says("fine"), models, rows: first.rows() });
  await second.finish();
  expect(second.events.findLast(({ type }) => type === "step_start")).toMatchObject({ model: "spare", attempt: 2 });
  expect(names(second)).toEqual(["spare"]);
});
