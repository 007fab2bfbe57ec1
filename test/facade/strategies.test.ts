// The ready-made retry and key strategies, and what a strategy of the caller can do, with a local server that speaks Anthropic's protocol.

import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import {
  DynamicKey,
  exponentialBackoff,
  linearBackoff,
  noRetry,
  retryAfterStrategy,
  RoundRobinKeys,
  tokenBucket,
  WeightedKeys,
} from "#facade/upp/connection-strategies.ts";
import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/llm.ts";
import type { Provider, ProviderConfig, RetryStrategy } from "#facade/upp/model-reference.ts";
import anthropic from "#facade/upp/provider/anthropic-models.ts";
import { ErrorCode, UPPError } from "#facade/upp/upp-error.ts";

import { startModelServer } from "../support/model-server/server.mjs";
import type { ModelServer } from "../support/model-server/server.mjs";
import { gate, instance, rejection } from "./support/scripted-llm.ts";

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
  console.log(`MODEL_SERVER_SEED=${server.seed}`);
});

afterAll(() => server.close());

afterEach(() => {
  vi.useRealTimers();
});

let exchanges = 0;

/** A model at the server, and the requests that the server received from it. */
function at(model: string, config: ProviderConfig, provider: Provider = anthropic) {
  const id = `strategy-${(exchanges += 1)}`;
  const headers = { "x-server-id": id, ...config.headers };
  const sent = async () =>
    (await (await fetch(`${server.url}/__requests?id=${id}`)).json()) as { headers: Record<string, string> }[];
  return {
    model: llm({ model: provider(model), config: { apiKey: "key", baseUrl: `${server.url}/v1`, ...config, headers } }),
    sent,
  };
}

const errorOf = (code: ErrorCode, retryAfterMs?: number): UPPError =>
  Object.assign(
    new UPPError("It failed.", code, "anthropic", "llm"),
    retryAfterMs === undefined ? {} : { retryAfterMs },
  );

const delays = (strategy: RetryStrategy, code: ErrorCode = ErrorCode.ProviderError): (number | null)[] =>
  [1, 2, 3, 4, 5].map((attempt) => strategy.onRetry(errorOf(code), attempt) as number | null);

/** The strategy, with waits of a millisecond. `waits` are those that it chose. */
function quick(chosen: RetryStrategy): { strategy: RetryStrategy; waits: (number | null)[] } {
  const waits: (number | null)[] = [];
  const strategy: RetryStrategy = {
    ...chosen,
    async onRetry(error, attempt) {
      const wait = await chosen.onRetry(error, attempt);
      waits.push(wait);
      return wait === null ? null : 1;
    },
  };
  return { strategy, waits };
}

describe("retries", () => {
  it.each([
    ["exponentialBackoff", exponentialBackoff({ initialDelay: 100, jitter: false }), [100, 200]],
    ["linearBackoff", linearBackoff({ delay: 100 }), [100, 200]],
    // The recorded response has the header Retry-After.
    ["tokenBucket", tokenBucket(), [7000, 7000]],
    ["retryAfterStrategy", retryAfterStrategy({ fallbackDelay: 1 }), [7000, 7000]],
  ])("With %s, a request is repeated until it no longer exceeds the provider's rate limit", async (...given) => {
    const [, create, expected] = given;
    const { strategy, waits } = quick(create);
    const { model, sent } = at("case:rate-limit|rate-limit|text", { retryStrategy: strategy });
    const turn = await model.generate("Hello");
    expect(turn.response.text).not.toBe("");
    expect(turn.cycles).toBe(1);
    expect(waits).toEqual(expected);
    expect(await sent()).toHaveLength(3);
  });

  it("A failed request is repeated maxAttempts times, and then its error is thrown", async () => {
    const { model, sent } = at("case:unavailable", {
      retryStrategy: exponentialBackoff({ maxAttempts: 2, initialDelay: 1 }),
    });
    expect(await rejection(model.generate("Hello"))).toMatchObject({ code: "PROVIDER_ERROR", statusCode: 503 });
    expect(await sent()).toHaveLength(3);
  });

  it("No strategy repeats a request whose failure is permanent", async () => {
    for (const create of [exponentialBackoff, linearBackoff, tokenBucket, retryAfterStrategy]) {
      const { model, sent } = at("case:auth", { retryStrategy: create() });
      expect(await rejection(model.generate("Hello"))).toMatchObject({ code: "AUTHENTICATION_FAILED" });
      expect(await sent()).toHaveLength(1);
    }
  });

  it("noRetry in the settings of an instance replaces the retry strategy of its provider, so that a failed request is not repeated", async () => {
    const retryStrategy = exponentialBackoff({ maxAttempts: 2, initialDelay: 1 });
    const retrying = createProvider({ protocol: "anthropic", retryStrategy });
    for (const [config, requests] of [
      [{}, 3],
      [{ retryStrategy: noRetry() }, 1],
    ] as const) {
      const { model, sent } = at("case:unavailable", config, retrying);
      expect(await rejection(model.generate("Hello"))).toMatchObject({ statusCode: 503 });
      expect(await sent()).toHaveLength(requests);
    }
  });

  it("exponentialBackoff doubles its wait up to maxDelay, and jitter shortens a wait by at most a half", () => {
    const options = { maxAttempts: 4, initialDelay: 100, maxDelay: 500 };
    expect(delays(exponentialBackoff({ ...options, jitter: false }))).toEqual([100, 200, 400, 500, null]);
    fc.assert(
      fc.property(fc.nat({ max: 20 }), () => {
        const [first, second, third, fourth] = delays(exponentialBackoff(options));
        for (const [wait, longest] of [
          [first, 100],
          [second, 200],
          [third, 400],
          [fourth, 500],
        ] as const) {
          expect(wait).toBeGreaterThanOrEqual((longest ?? 0) / 2);
          expect(wait).toBeLessThanOrEqual(longest ?? 0);
        }
      }),
    );
  });

  it("Each wait of linearBackoff is longer than the wait before it by the option delay", () => {
    expect(delays(linearBackoff({ delay: 100, maxAttempts: 4 }))).toEqual([100, 200, 300, 400, null]);
  });

  it("retryAfterStrategy waits for the time that the provider states, or for fallbackDelay if the provider states none", () => {
    const strategy = retryAfterStrategy({ maxAttempts: 1, fallbackDelay: 7 });
    expect(strategy.onRetry(errorOf(ErrorCode.RateLimited, 12_000), 1)).toBe(12_000);
    expect(strategy.onRetry(errorOf(ErrorCode.RateLimited), 1)).toBe(7);
    expect(strategy.onRetry(errorOf(ErrorCode.RateLimited), 2)).toBeNull();
    expect(strategy.onRetry(errorOf(ErrorCode.ProviderError), 1)).toBeNull();
  });

  it("The error of a rate limit has the time of the provider's Retry-After", async () => {
    const error = await rejection(at("case:rate-limit", {}).model.generate("Hello"));
    expect(error).toMatchObject({ code: "RATE_LIMITED", retryAfterMs: 7000 });
  });

  it("tokenBucket gives the tokens of aborted requests to later requests, and requests that already wait keep their times", async () => {
    const minute = 60_000;
    const bucket = tokenBucket({ capacity: 1, refillRate: 1 / 60 });
    const waits: unknown[] = [];
    const beforeRequest = () => {
      const wait = bucket.beforeRequest?.();
      waits.push(wait);
      return wait ?? 0;
    };
    const abort = new AbortController();
    const config = { retryStrategy: { ...bucket, beforeRequest } };
    const turns = Array.from({ length: 4 }, async (_, index) =>
      instance([{ text: "Hi." }], { config, ...(index === 0 ? {} : { signal: abort.signal }) }).generate("Go."),
    );
    const aborted = Promise.allSettled(turns.slice(1));
    await turns[0];
    await vi.waitUntil(() => waits.length === 4);
    const last = bucket.beforeRequest?.();
    abort.abort();
    expect((await aborted).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    const next = Array.from({ length: 4 }, () => bucket.beforeRequest?.());
    expect([...waits, last, ...next].map((wait) => Math.ceil(Number(wait) / minute))).toEqual([
      0, 1, 2, 3, 4, 1, 2, 3, 5,
    ]);
  });

  it("A token that an aborted request returned to tokenBucket is available after its time, and the bucket never has more tokens than its capacity", () => {
    vi.useFakeTimers();
    const bucket = tokenBucket({ capacity: 1, refillRate: 1 });
    expect([bucket.beforeRequest?.(), bucket.beforeRequest?.()]).toEqual([0, 1000]);
    bucket.onAbort?.(1000);
    vi.advanceTimersByTime(10_000);
    expect([bucket.beforeRequest?.(), bucket.beforeRequest?.()]).toEqual([0, 1000]);
  });

  it("An exception of onAbort is thrown in place of the error of the abort", async () => {
    const waits = gate();
    const abort = new AbortController();
    const retryStrategy: RetryStrategy = {
      onRetry: () => null,
      beforeRequest() {
        waits.open();
        return 1_000_000;
      },
      onAbort() {
        throw new Error("The store of tokens is closed.");
      },
    };
    const ended = rejection(instance([], { config: { retryStrategy }, signal: abort.signal }).generate("Go."));
    await waits.passed;
    abort.abort();
    expect(await ended).toMatchObject({ message: "The store of tokens is closed." });
  });

  it("tokenBucket sends as many requests at once as its capacity, and then one request each time that a token is refilled", () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 0 });
    const bucket = tokenBucket({ capacity: 2, refillRate: 4 });
    const waits = (count: number) => Array.from({ length: count }, () => bucket.beforeRequest?.());
    expect(waits(4)).toEqual([0, 0, 250, 500]);
    vi.setSystemTime(750);
    expect(waits(2)).toEqual([0, 250]);
    vi.setSystemTime(60_000);
    expect(waits(3)).toEqual([0, 0, 250]);
  });

  it.each([
    [() => exponentialBackoff({ initialDelay: -1 }), "initialDelay"],
    [() => linearBackoff({ delay: NaN }), "delay"],
    [() => retryAfterStrategy({ maxAttempts: -1 }), "maxAttempts"],
    [() => tokenBucket({ capacity: 0 }), "capacity"],
    [() => tokenBucket({ refillRate: 0 }), "refillRate"],
  ])("A strategy with an invalid option is refused with INVALID_REQUEST (%#)", (create, option) => {
    expect(create).toThrow(
      expect.objectContaining({ code: "INVALID_REQUEST", message: expect.stringContaining(option) }),
    );
  });
});

describe("a strategy of the caller", () => {
  it("A failed request is repeated only after an asynchronous onRetry has resolved", async () => {
    const [requested, decided] = [gate(), gate()];
    const { model, sent } = at("case:unavailable|text", {
      retryStrategy: {
        async onRetry() {
          requested.open();
          await decided.passed;
          return 1;
        },
      },
    });
    const turn = model.generate("Hello");
    await requested.passed;
    expect(await sent()).toHaveLength(1);
    decided.open();
    expect((await turn).response.text).not.toBe("");
    expect(await sent()).toHaveLength(2);
  });

  it("If onRetry rejects, the turn ends with the same error, and the request is not repeated", async () => {
    const thrown = new Error("No decision.");
    const { model, sent } = at("case:unavailable", { retryStrategy: { onRetry: () => Promise.reject(thrown) } });
    expect(await rejection(model.generate("Hello"))).toBe(thrown);
    expect(await sent()).toHaveLength(1);
  });

  it("An abort ends a turn whose onRetry does not resolve, without a further request", async () => {
    const requested = gate();
    const { model, sent } = at("case:unavailable", {
      retryStrategy: {
        onRetry() {
          requested.open();
          return new Promise<number>(() => {});
        },
      },
    });
    const stream = model.stream("Hello");
    await requested.passed;
    stream.abort();
    expect(await rejection(stream.turn)).toMatchObject({ code: "CANCELLED" });
    expect(await sent()).toHaveLength(1);
  });

  it("beforeRequest is awaited before each request, repetitions included, and reset is called after a request that succeeded", async () => {
    const calls: string[] = [];
    const [requested, decided] = [gate(), gate()];
    const { model, sent } = at("case:unavailable|text", {
      retryStrategy: {
        onRetry: () => (calls.push("onRetry"), 1),
        async beforeRequest() {
          calls.push("beforeRequest");
          requested.open();
          await decided.passed;
          return 1;
        },
        reset: () => void calls.push("reset"),
      },
    });
    const turn = model.generate("Hello");
    await requested.passed;
    expect(await sent()).toEqual([]);
    decided.open();
    await turn;
    expect(calls).toEqual(["beforeRequest", "onRetry", "beforeRequest", "reset"]);
    expect(await sent()).toHaveLength(2);
  });

  it("If beforeRequest throws, the turn ends with the same error before a request is sent", async () => {
    const thrown = new Error("No rate.");
    const beforeRequest = () => {
      throw thrown;
    };
    const { model, sent } = at("case:text", { retryStrategy: { onRetry: () => 1, beforeRequest } });
    expect(await rejection(model.generate("Hello"))).toBe(thrown);
    expect(await sent()).toEqual([]);
  });

  it("A request waits for the time that beforeRequest returns, and the provider's timeout does not elapse during the wait", async () => {
    vi.useFakeTimers();
    let answers = 0;
    const retryStrategy: RetryStrategy = { onRetry: () => null, beforeRequest: () => 60_000 };
    const model = instance(() => ((answers += 1), { text: "Done." }), { config: { retryStrategy, timeout: 200 } });
    const turn = model.generate("Go.");
    await vi.advanceTimersByTimeAsync(59_999);
    expect(answers).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect((await turn).response.text).toBe("Done.");
  });

  it("An abort ends the wait before a request", async () => {
    const requested = gate();
    const beforeRequest = () => (requested.open(), 3_600_000);
    const { model, sent } = at("case:text", { retryStrategy: { onRetry: () => null, beforeRequest } });
    const stream = model.stream("Hello");
    await requested.passed;
    stream.abort();
    expect(await rejection(stream.turn)).toMatchObject({ code: "CANCELLED" });
    expect(await sent()).toEqual([]);
  });
});

describe("keys", () => {
  const keysOf = async (sent: () => Promise<{ headers: Record<string, string> }[]>) =>
    (await sent()).map(({ headers }) => headers["x-api-key"]);

  it("RoundRobinKeys sends each request with the next key, repetitions included", async () => {
    const apiKey = new RoundRobinKeys(["one", "two", "three"]);
    const { model, sent } = at("case:unavailable|text", { apiKey, retryStrategy: linearBackoff({ delay: 1 }) });
    await model.generate("Hello");
    await model.generate("Hello");
    await model.generate("Hello");
    expect(await keysOf(sent)).toEqual(["one", "two", "three", "one"]);
  });

  it("WeightedKeys sends each request with a key of its list, and never with one of the weight 0", async () => {
    const apiKey = new WeightedKeys([
      { key: "often", weight: 3 },
      { key: "never", weight: 0 },
    ]);
    const { model, sent } = at("case:text", { apiKey });
    await model.generate("Hello");
    expect(await keysOf(sent)).toEqual(["often"]);
  });

  it("WeightedKeys chooses each key as often as its share of the weights", () => {
    const keys = new WeightedKeys([
      { key: "a", weight: 1 },
      { key: "b", weight: 3 },
    ]);
    const random = vi.spyOn(Math, "random");
    const at = (value: number) => (random.mockReturnValueOnce(value), keys.getKey());
    expect([0, 0.2499, 0.25, 0.9999].map(at)).toEqual(["a", "a", "b", "b"]);
    random.mockRestore();
  });

  it("DynamicKey calls its function for each request", async () => {
    let calls = 0;
    const apiKey = new DynamicKey(() => Promise.resolve(`key-${(calls += 1)}`));
    const { model, sent } = at("case:text", { apiKey });
    await model.generate("Hello");
    await model.generate("Hello");
    expect(await keysOf(sent)).toEqual(["key-1", "key-2"]);
  });

  it.each([
    ["an empty list", () => new RoundRobinKeys([])],
    ["no weight above 0", () => new WeightedKeys([{ key: "a", weight: 0 }])],
    ["a negative weight", () => new WeightedKeys([{ key: "a", weight: -1 }])],
  ])("A key strategy with %s is refused with INVALID_REQUEST", (_what, create) => {
    expect(create).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  });
});
