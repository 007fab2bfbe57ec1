// The errors of providers: the classification of responses, and the conversion from and to the failures of the core.

import fc from "fast-check";
import { expect, it } from "vitest";

import type { ModelFailure } from "#core/ports/model-port.ts";
import { CancellationToken } from "#facade/phi/index.ts";
import type { StreamConfig } from "#facade/phi/index.ts";
import { ModelConfig } from "#facade/phi/provider/model-config.ts";
import { ProviderError } from "#facade/phi/provider/provider-error.ts";
import { ProviderRegistry } from "#facade/phi/provider/provider-registry.ts";

/** The overflow messages of the public implementation's tests, and of REQ-076. */
const overflows: [status: number, message: string][] = [
  [400, "prompt is too long: 213462 tokens > 200000 maximum"],
  [400, "Your input exceeds the context window of this model"],
  [400, "The input token count (1196265) exceeds the maximum number of tokens allowed"],
  [400, "input is too long for requested model"],
  [400, "This model's maximum prompt length is 131072 but request contains 537812 tokens"],
  [400, "Please reduce the length of the messages or completion"],
  [400, "This endpoint's maximum context length is 8192 tokens"],
  [400, "prompt token count of 9000 exceeds the limit of 8000"],
  [400, "the request exceeds the available context size"],
  [400, "greater than the context length"],
  [400, "context window exceeds limit"],
  [400, "Your request exceeded model token limit"],
  [500, "context length exceeded"],
  [400, "CONTEXT_LENGTH_EXCEEDED"],
  [422, "Too Many Tokens in request"],
  [400, "token limit exceeded"],
  [413, ""],
  [400, "  "],
  [400, JSON.stringify({ error: { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8" } })],
];

it.each(overflows)("A response with the status %i and the text %j is an overflow (REQ-076)", (status, message) => {
  expect(ProviderError.isContextOverflow(status, message)).toBe(true);
  const error = ProviderError.classify(status, message);
  expect([error.kind, error.isContextOverflow(), error.isRetryable()]).toEqual(["ContextOverflow", true, false]);
});

const others: [status: number, message: string, kind: string, isRetryable: boolean][] = [
  [429, "rate limit exceeded", "RateLimited", true],
  // A 429 is never an overflow (decision 23: overflow).
  [429, "too many tokens", "RateLimited", true],
  [401, "invalid api key", "Auth", false],
  [403, "forbidden", "Auth", false],
  // Another key changes nothing about a region.
  [403, "Country, region, or territory not supported", "Api", false],
  [400, "invalid request format", "Api", false],
  [404, "no such model", "Api", false],
  // A failure that the core retries is Network or RateLimited.
  [500, "internal server error", "Network", true],
  [503, "", "Network", true],
  [408, "timeout", "Network", true],
  [429, "You exceeded your current quota: insufficient_quota", "Api", false],
];

it.each(others)(
  "A response with the status %i and the text %j is %s (REQ-075)",
  (status, message, kind, isRetryable) => {
    const error = ProviderError.classify(status, message);
    expect([error.kind, error.isRetryable(), error.status]).toEqual([kind, isRetryable, status]);
    expect(ProviderError.isContextOverflow(status, message)).toBe(false);
  },
);

it("The message of a classified response is the sentence of its body, without keys", () => {
  const body = JSON.stringify({ error: { message: "Incorrect API key provided: sk-test-12345678." } });
  const error = ProviderError.classify(401, body);
  expect(error.message).toContain("Incorrect API key provided");
  expect(error.message).not.toContain("sk-test");
});

it("Only `RateLimited` and `Network` are retried, and only `RateLimited` has a wait (REQ-072, REQ-073)", () => {
  const errors = [
    ProviderError.api("a"),
    ProviderError.network("n"),
    ProviderError.auth("u"),
    ProviderError.rateLimited(1500),
    ProviderError.rateLimited(),
    ProviderError.contextOverflow("c"),
    ProviderError.cancelled(),
    ProviderError.other("o"),
  ];
  expect(errors.map((error) => [error.kind, error.isRetryable(), error.retryAfter()])).toEqual([
    ["Api", false, null],
    ["Network", true, null],
    ["Auth", false, null],
    ["RateLimited", true, 1500],
    ["RateLimited", true, null],
    ["ContextOverflow", false, null],
    ["Cancelled", false, null],
    ["Other", false, null],
  ]);
  for (const error of errors) expect([error instanceof Error, error.name]).toEqual([true, "ProviderError"]);
  for (const wrong of [-1, Number.NaN, Infinity]) expect(ProviderError.rateLimited(wrong).retryAfter()).toBeNull();
});

const failure: fc.Arbitrary<ModelFailure> = fc.record(
  {
    kind: fc.constantFrom(
      ...(["overflow", "rate_limited", "auth", "network", "timeout", "not_configured", "aborted", "api"] as const),
    ),
    message: fc.string(),
    retryable: fc.boolean(),
    status: fc.option(fc.integer({ min: 400, max: 599 })),
    retry_after_ms: fc.option(fc.nat()),
  },
  { noNullPrototype: true },
);

it("A failure of the core keeps its message, its status and whether it is retried as a provider's error, and is stable after that", () => {
  fc.assert(
    fc.property(failure, (given) => {
      const error = ProviderError.fromFailure(given);
      const converted = error.toFailure();
      expect([error.message, error.status, error.isRetryable()]).toEqual([
        given.message,
        given.status,
        given.retryable,
      ]);
      expect([converted.message, converted.status, converted.retryable]).toEqual([
        given.message,
        given.status,
        given.retryable,
      ]);
      expect(ProviderError.fromFailure(converted).toFailure()).toEqual(converted);
      if (error.kind === "RateLimited") expect(converted.retry_after_ms).toBe(given.retry_after_ms);
      if (given.kind === "overflow" && !given.retryable) expect(converted.kind).toBe("overflow");
      if (given.kind === "aborted" && !given.retryable) expect(converted.kind).toBe("aborted");
    }),
    { verbose: true, numRuns: 500 },
  );
});

it("The values of a config's headers are removed from the failures of this package's providers, as its key is", async () => {
  const secret = "header-secret-value-1";
  const text = JSON.stringify({ error: { message: `The header ${secret} and the key vertex-secret-1 are wrong.` } });
  const provider = ProviderRegistry.default({ env: {}, fetch: async () => new Response(text, { status: 400 }) });
  const fields = { base_url: "https://models.test/v1", headers: { "x-token": secret } };
  for (const config of [
    ModelConfig.anthropic("m", "M", { api_key: "vertex-secret-1", ...fields }),
    ModelConfig.openai("m", "M", { api_key: "vertex-secret-1", ...fields }),
    ModelConfig.google("m", "M", { api_key: "vertex-secret-1", ...fields }),
  ]) {
    const request: StreamConfig = {
      model_config: config,
      system_prompt: "",
      messages: [{ role: "user", content: [{ type: "text", text: "Hello." }], timestamp: 1 }],
      tools: [],
      thinking_level: "Off",
      max_tokens: null,
      temperature: null,
      cache_config: { enabled: false, strategy: "Disabled" },
    };
    const failed = provider.stream(request, { send: () => undefined }, new CancellationToken());
    await expect(failed).rejects.toThrow("The header [redacted] and the key [redacted] are wrong.");
  }
});
