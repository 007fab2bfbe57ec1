// Refusals in the wording and shapes of many providers: their class, whether they are retried, the wait, and the message.

import { describe, expect, it } from "vitest";

import { classifyFailure } from "#models/classify-failure.ts";
import { newExchange } from "#models/observed-fetch.ts";
import { createRedact } from "#models/redact.ts";

import { now, overflows, refusals, shapes, waits } from "./refusal-cases.ts";
import type { RefusalCase } from "./refusal-cases.ts";

function classify({ status, headers = {}, body }: RefusalCase) {
  const exchange = { ...newExchange(), status, begun: status === 200, headers: new Headers(headers) };
  const context = { exchange, redact: createRedact([]), now, aborted: false };
  const responseBody = typeof body === "string" ? body : JSON.stringify(body);
  const error = status === 200 ? body : { statusCode: status, message: "Status text", responseBody };
  return classifyFailure(error, context);
}

function waitFor(refusal: RefusalCase): void {
  const { kind, retryable = kind === "network", wait = null, sentence } = refusal;
  const failure = classify(refusal);
  expect(failure).toMatchObject({ kind, retryable, retry_after_ms: wait });
  if (sentence !== undefined) expect(failure.message).toBe(sentence);
}

const titled = (cases: readonly RefusalCase[]) => cases.map((refusal) => [refusal.from, refusal] as const);

describe("refusals", () => {
  it.for(titled(waits))(
    "The delay before a retry is read from a header, a field or a sentence, and a delay of hours is not waited for: %s",
    ([, refusal]) => waitFor(refusal),
  );

  it.for(titled(refusals))(
    "A refused API key is distinguished from other refusals, such as those of a region or of content: %s",
    ([, refusal]) => waitFor(refusal),
  );

  it.for(titled(overflows))("An overflow is distinguished from other limits: %s", ([, refusal]) => waitFor(refusal));

  it.for(titled(shapes))("The message of a failure is found in JSON of any shape: %s", ([, refusal]) =>
    waitFor(refusal),
  );

  it("A failure's message never contains the JSON around it", () => {
    const all = [...waits, ...refusals, ...overflows, ...shapes].map((refusal) => classify(refusal).message);
    expect(all.filter((text) => /[{}]|<html|"message"/.test(text))).toEqual([]);
  });

  it("A body with very deep nesting is read without failure", () => {
    let body: unknown = "deep";
    for (let level = 0; level < 2000; level += 1) body = { error: body };
    expect(classify({ from: "", status: 400, body, kind: "api" })).toMatchObject({
      kind: "api",
      message: "Status text",
    });
  });
});
