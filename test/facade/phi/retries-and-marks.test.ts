// Delays before retries, variants of errors, and the marks for a provider's cache.

import { describe, expect, it } from "vitest";

import { createTool, defaultRetryConfig, delayForAttempt, ModelConfig, userMessage } from "#facade/phi/index.ts";
import type { CacheConfig } from "#facade/phi/index.ts";
import { anthropicProvider } from "#facade/phi/provider/profile-provider.ts";
import { ProviderError } from "#facade/phi/provider/provider-error.ts";

import { play } from "./support/play.ts";

describe("errors and retries of providers", () => {
  it("The delay before a retry doubles, varies by a fifth in 10,000 samples, and is never above its maximum", () => {
    const config = defaultRetryConfig();
    expect(config).toEqual({ max_retries: 3, initial_delay_ms: 1000, backoff_multiplier: 2, max_delay_ms: 30_000 });
    for (const [attempt, middle] of [
      [1, 1000],
      [2, 2000],
      [3, 4000],
      [9, 30_000],
    ] as const) {
      const samples = Array.from({ length: 10_000 }, () => delayForAttempt(config, attempt));
      expect(Math.min(...samples)).toBeGreaterThanOrEqual(middle * 0.8);
      expect(Math.max(...samples)).toBeLessThanOrEqual(middle * 1.2);
      expect([0, 0.5].map((random) => Math.round(delayForAttempt(config, attempt, random)))).toEqual([
        middle * 0.8,
        middle,
      ]);
    }
  });

  it("Only errors of the network and of too many requests are retryable, and only the latter have a delay of the provider", () => {
    const errors = [
      ProviderError.network("x"),
      ProviderError.rateLimited(5000),
      ProviderError.rateLimited(),
      ProviderError.api("x"),
      ProviderError.auth("x"),
      ProviderError.contextOverflow("x"),
      ProviderError.cancelled(),
      ProviderError.other("x"),
    ];
    expect(errors.map((error) => error.isRetryable())).toEqual([true, true, true, ...Array(5).fill(false)]);
    expect(errors.map((error) => error.retryAfter())).toEqual([null, 5000, ...Array(6).fill(null)]);
  });

  it("The status and the text of a response decide the variant of its error", () => {
    const kindOf = (status: number, text: string) => ProviderError.classify(status, text).kind;
    expect(kindOf(429, "prompt is too long")).toBe("RateLimited");
    expect(kindOf(401, "invalid key")).toBe("Auth");
    expect(kindOf(400, "prompt is too long: 210000 tokens > 200000 maximum")).toBe("ContextOverflow");
    expect(kindOf(413, "")).toBe("ContextOverflow");
    expect(kindOf(400, "the field `tools` is invalid")).toBe("Api");
    expect(kindOf(503, "overloaded")).toBe("Network");
  });

  it("The strategy of the cache config decides which parts of a request to Anthropic are marked", async () => {
    const parameters = { type: "object" };
    const look = createTool({ name: "look", description: "", parameters, execute: () => "" });
    const marks = async (cacheConfig: CacheConfig): Promise<string[]> => {
      let body: Record<"system" | "tools" | "messages", unknown> = { system: null, tools: null, messages: null };
      const provider = anthropicProvider({
        env: {},
        fetch: (_url, init) => {
          body = JSON.parse(init?.body as string) as typeof body;
          return Promise.resolve(new Response('{"error":{"message":"no"}}', { status: 401 }));
        },
      });
      await play({
        answers: [],
        tools: [look],
        context: { system_prompt: "You are brief.", messages: [userMessage("One."), userMessage("Two.")] },
        config: {
          modelConfig: ModelConfig.anthropic("claude-sonnet-4-5", "Claude", "sk-key"),
          providerOverride: provider,
          cacheConfig,
        },
      });
      return (["system", "tools", "messages"] as const).filter((part) =>
        JSON.stringify(body[part]).includes("cache_control"),
      );
    };
    const manual = (cache_system: boolean, cache_tools: boolean) => ({
      enabled: true,
      strategy: { Manual: { cache_system, cache_tools, cache_messages: false } },
    });
    expect(await marks(manual(true, false))).toEqual(["system"]);
    expect(await marks(manual(false, true))).toEqual(["tools"]);
    expect(await marks({ enabled: true, strategy: "Auto" })).toEqual(expect.arrayContaining(["system", "tools"]));
    expect(await marks({ enabled: true, strategy: "Disabled" })).toEqual([]);
    expect(await marks({ enabled: false, strategy: "Auto" })).toEqual([]);
  });
});
