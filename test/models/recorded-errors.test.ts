// Real refusals of real providers, if RECORDED_DIR names a folder with some: each is classified by its status and body, and an overflow of
// the context window is distinguished from other refusals.

import { describe, expect, inject, it } from "vitest";
import { z } from "zod";

import { classifyFailure } from "#models/classify-failure.ts";
import { newExchange } from "#models/observed-fetch.ts";
import { createRedact } from "#models/redact.ts";

const errorSchema = z.looseObject({
  wire: z.string(),
  status: z.number().optional(),
  body: z.string(),
  contextOverflow: z.boolean(),
});
const listSchema = z.object({ folder: z.string().nullable(), errors: z.array(errorSchema) });

const { folder, errors } = listSchema.parse(await (await fetch(`${inject("modelServer")}/__recorded`)).json());
// A refusal without a status is a sentence that a client recorded, not a response.
const answered = errors.filter(({ status }) => status !== undefined);

function classify(status: number, body: string) {
  const exchange = { ...newExchange(), status, headers: new Headers() };
  const context = { exchange, redact: createRedact([]), now: 0, aborted: false };
  return classifyFailure({ statusCode: status, responseBody: body, message: "" }, context);
}

describe("recorded refusals", () => {
  if (folder === null) {
    it("Tests of recorded provider errors are skipped if there is no folder of recordings", ({ skip }) =>
      skip("RECORDED_DIR is not set"));
    return;
  }

  const titled = answered.map((entry) => [`${entry.wire} ${entry.status} ${entry.body.slice(0, 80)}`, entry] as const);
  it.for(titled)(
    "The recorded provider error %s is classified by its status and its text",
    ([, { status = 0, body, contextOverflow }]) => {
      const { kind, message, retryable } = classify(status, body);
      const isAuth = status === 401 || status === 403 || /incorrect api key/i.test(body);
      const unlessOverflow = status === 429 ? "rate_limited" : isAuth ? "auth" : "api";
      expect(kind).toBe(contextOverflow ? "overflow" : unlessOverflow);
      expect(retryable).toBe(kind === "rate_limited");
      expect(message.length).toBeGreaterThan(0);
      // The sentence alone, without the JSON around it.
      expect(message).not.toMatch(/^[[{]|"message"/);
    },
  );

  it("The recorded provider errors contain each of the four classes of error responses", () => {
    const kinds = new Set(answered.map(({ status = 0, body }) => classify(status, body).kind));
    expect([...kinds].toSorted()).toEqual(["api", "auth", "overflow", "rate_limited"]);
  });
});
