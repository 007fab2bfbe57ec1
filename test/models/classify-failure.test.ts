// The class of a failure, from texts, statuses and shapes alone, and from real responses of each provider.

import { describe, expect, it } from "vitest";

import { classifyFailure, type FailureContext } from "#models/classify-failure.ts";
import { newExchange } from "#models/observed-fetch.ts";
import { createRedact } from "#models/redact.ts";

import { ask, providers, readAnswer, wireOf } from "./ask-model.ts";

function context(status: number | null, more: Partial<FailureContext> = {}, headers: Record<string, string> = {}) {
  const exchange = { ...newExchange(), status, headers: new Headers(headers) };
  return { exchange, redact: createRedact([]), now: Date.UTC(2026, 0, 1), aborted: false, ...more };
}

/** The error that the SDK throws for a refusal. */
function refusal(status: number, message: string) {
  return { statusCode: status, responseBody: JSON.stringify({ error: { message } }), message };
}

const overflows = [
  "prompt is too long: 213462 tokens > 200000 maximum",
  "input is too long for requested model",
  "Your input exceeds the context window of this model",
  "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)",
  "This model's maximum prompt length is 131072",
  "Please reduce the length of the messages or completion",
  "This endpoint's maximum context length is 128000 tokens",
  "prompt token count of 9000 exceeds the limit of 8192",
  "the request exceeds the available context size",
  "tokens to keep from the initial prompt is greater than the context length",
  "invalid params, context window exceeds limit",
  "Your request exceeded model token limit: 128000",
  "Context length exceeded",
  "context_length_exceeded",
  "too many tokens",
  "token limit exceeded",
  "request_too_large",
  "model_context_window_exceeded",
  "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
  "prompt too long; exceeded max context length by 119 tokens",
];

describe("classification", () => {
  it.for(overflows)("An overflow of the context window is recognised by its text: %s", (message) => {
    const failure = classifyFailure(refusal(400, message), context(400));
    expect(failure).toMatchObject({ kind: "overflow", retryable: false, status: 400 });
  });

  it.for([
    new TypeError("Cannot read properties of undefined (reading 'summaryParts')"),
    new RangeError("Invalid time value"),
    new SyntaxError("Unexpected token < in JSON"),
    Object.assign(new Error("Type validation failed: Value: {}"), { name: "AI_TypeValidationError" }),
    Object.assign(new Error("[{ expected: string, path: [id] }]"), { name: "ZodError" }),
    Object.assign(new Error("Unsupported chunk type: [object Object]"), { name: "AI_InvalidResponseDataError" }),
  ])("ANSWER4 No user reads the text of a package: %s", (error) => {
    const begun = classifyFailure(error, context(200));
    expect(begun).toMatchObject({ kind: "api", unreadable: true });
    expect(begun.message).toMatch(/^The provider sent a piece of its answer in a shape/);
    const before = classifyFailure(error, context(null));
    expect(before).toMatchObject({ kind: "api", retryable: false });
    expect(before.message).not.toBe(error.message);
  });

  it("The text of an error of the network is kept, also if the error is a TypeError", () => {
    const lost = context(null);
    lost.exchange.broken = true;
    expect(classifyFailure(new TypeError("fetch failed"), lost)).toMatchObject({
      kind: "network",
      message: "fetch failed",
      retryable: true,
    });
  });

  it.for([400, 413])("A response with status %d and without a body is classified as a context overflow", (status) => {
    expect(classifyFailure({ statusCode: status, message: "" }, context(status)).kind).toBe("overflow");
  });

  it("An error response without a body and with status 404, 429 or 500 is not classified as a context overflow", () => {
    const kinds = [404, 429, 500].map(
      (status) => classifyFailure({ statusCode: status, message: "" }, context(status)).kind,
    );
    expect(kinds).toEqual(["api", "rate_limited", "network"]);
  });

  it.for(overflows)("A response with status 429 is never classified as a context overflow: %s", (message) => {
    expect(classifyFailure(refusal(429, message), context(429))).toMatchObject({
      kind: "rate_limited",
      retryable: true,
    });
  });

  it.for([
    ["Rate limit: too many tokens per minute", 400, "api"],
    ["Too many requests, reduce the length of the messages", 400, "api"],
    ["Throttling error: Too many tokens, please wait before trying again.", 400, "api"],
    ["Service unavailable: too many tokens in flight", 503, "network"],
  ] as const)(
    "An error that reports a busy service is not classified as an overflow: %s",
    ([message, status, kind]) => {
      expect(classifyFailure(refusal(status, message), context(status)).kind).toBe(kind);
    },
  );

  it.for([
    [401, "auth", false],
    [403, "auth", false],
    [400, "api", false],
    [404, "api", false],
    [422, "api", false],
    [408, "api", true],
    [500, "network", true],
    [502, "network", true],
    [529, "network", true],
  ] as const)("A model failure with status %d has the class %s", ([status, kind, retryable]) => {
    const failure = classifyFailure(refusal(status, "no"), context(status));
    expect(failure).toMatchObject({ kind, retryable, status });
  });

  it("An error text about a context overflow decides the class of the error, also with status 403 or 500", () => {
    expect(classifyFailure(refusal(500, "context_length_exceeded"), context(500)).kind).toBe("overflow");
    expect(classifyFailure(refusal(403, "prompt is too long"), context(403)).kind).toBe("overflow");
  });

  it.for([
    [{ type: "overloaded_error", message: "Overloaded" }, "network"],
    [{ type: "rate_limit_error", message: "slow down" }, "rate_limited"],
    [{ type: "authentication_error", message: "no" }, "auth"],
    [{ type: "permission_error", message: "no" }, "auth"],
    [{ type: "invalid_request_error", message: "prompt is too long: 9 > 8" }, "overflow"],
    [{ type: "invalid_request_error", message: "no" }, "api"],
    [{ type: "server_error", code: null, message: "no" }, "network"],
    [{ code: "rate_limit_exceeded", type: "tokens", message: "no" }, "rate_limited"],
    [{ code: 502, message: "Provider disconnected" }, "network"],
    [{ code: 429, status: "RESOURCE_EXHAUSTED", message: "no" }, "rate_limited"],
    [{ message: "no" }, "api"],
    ["what is this", "api"],
    [null, "api"],
  ] as const)("An error inside a stream is classified by its own type or code: %j", ([reported, kind]) => {
    expect(classifyFailure(reported, context(200)).kind).toBe(kind);
  });

  it("A failure of the connection is a network error, and an exception of this project's code is not", () => {
    const unanswered = { ...newExchange(), broken: true };
    const lost = classifyFailure(new TypeError("fetch failed"), context(null, { exchange: unanswered }));
    expect(lost).toMatchObject({ kind: "network", retryable: true });
    const cut = { ...unanswered, status: 200, headers: new Headers() };
    expect(classifyFailure({ name: "AI_APICallError" }, context(200, { exchange: cut })).kind).toBe("network");
    // A bug in this project's code is no network failure, and a retry would not help.
    expect(classifyFailure(new TypeError("x is undefined"), context(null)).kind).toBe("api");
  });

  it("An aborted model request has the class aborted, also if the provider refused it", () => {
    const failure = classifyFailure(refusal(503, "no"), context(503, { aborted: true }));
    expect(failure).toMatchObject({ kind: "aborted", retryable: false });
  });

  it("A model request is not retried if it fails because a quota is used up", () => {
    const error = {
      statusCode: 429,
      responseBody: JSON.stringify({ error: { message: "pay", code: "insufficient_quota" } }),
    };
    expect(classifyFailure(error, context(429))).toMatchObject({ kind: "rate_limited", retryable: false });
  });

  it("A failure's message is the provider's sentence, of bounded length", () => {
    expect(classifyFailure(refusal(400, "x".repeat(50_000)), context(400)).message.length).toBeLessThan(2_100);
    expect(classifyFailure(refusal(400, "Bad tool."), context(400)).message).toBe("Bad tool.");
    const page = { statusCode: 502, message: "Bad Gateway", responseBody: "<html>nginx</html>" };
    expect(classifyFailure(page, context(502)).message).toBe("Bad Gateway");
  });
});

describe.for(providers)("refusals of %s", (provider) => {
  it.for([
    ["auth", "auth", 401, null],
    ["rate-limit", "rate_limited", 429, 7000],
    ["overflow", "overflow", 400, null],
    ["empty-body", "overflow", 413, null],
    ["unavailable", "network", 503, null],
    ["bad-request", "api", 400, null],
  ] as const)("The refusal %s is classified as %s", async ([name, kind, status, retry_after_ms]) => {
    const parts = await ask(provider, name);
    expect(parts).toHaveLength(1);
    expect(parts[0]).toMatchObject({ type: "error", failure: { kind, status, retry_after_ms } });
  });

  it("An error in the middle of a stream keeps the text before it", async () => {
    const { text, end } = readAnswer(await ask(provider, "error-mid-stream"));
    expect(text.trim()).toBe("So far so");
    expect(end).toMatchObject({ type: "error", failure: { kind: "network", retryable: true } });
  });

  it("An error at the beginning of a stream is classified like an error response", async () => {
    const { end } = readAnswer(await ask(provider, "error-first"));
    const retry_after_ms = wireOf(provider) === "google" ? 34_500 : null;
    expect(end).toMatchObject({ type: "error", failure: { kind: "rate_limited", status: 429, retry_after_ms } });
  });

  it("A prompt longer than the window is an overflow, also if the provider reports no error", async () => {
    const { end } = readAnswer(await ask(provider, "silent-overflow", { definition: { contextWindow: 1000 } }));
    expect(end).toMatchObject({ type: "error", failure: { kind: "overflow" }, usage: { input: 1200 } });
    const fits = readAnswer(await ask(provider, "silent-overflow", { definition: { contextWindow: 1200 } }));
    expect(fits.end.type).toBe("finish");
  });
});

it("A chunk that is no JSON ends the stream with a retryable error", async () => {
  const { text, end } = readAnswer(await ask("openai", "garbled"));
  expect(text).toBe("So far so");
  expect(end).toMatchObject({ type: "error", failure: { kind: "api", retryable: true } });
});

it("An answer is a context overflow if it ends because the context window is full", async () => {
  const { end } = readAnswer(await ask("anthropic", "context-window-stop"));
  expect(end).toMatchObject({ type: "error", failure: { kind: "overflow" } });
});
