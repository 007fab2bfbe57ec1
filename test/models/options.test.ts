// Every part of a request but its transcript: tools, limits, thinking, caching, routing, addresses, keys.

import { describe, expect, it } from "vitest";

import type { ModelRequest, ToolSpec } from "#core/ports/model-port.ts";
import type { AnyModelDefinition, PromptCache } from "#spec/index.ts";

import { callAndResult, collect, message, model, providers, request, serverPort, user } from "./ask-model.ts";
import { capture } from "./sent-request.ts";

const tools: ToolSpec[] = ["first", "last"].map((name) => ({
  name,
  description: name,
  parameters: { type: "object" },
}));

describe("tools", () => {
  it.for(providers)(
    "The provider %s is sent no tools if the model does not support function calling",
    async (provider) => {
      const { body } = await capture(provider, { tools }, { capabilities: { functionCalling: false } });
      expect(body["tools"]).toBeUndefined();
      expect(JSON.stringify(body)).not.toMatch(/tool_choice|toolConfig/);
    },
  );

  it("The tool choice `required` is sent in each provider's own form", async () => {
    const choice = { tools, toolChoice: "required" } as const;
    expect((await capture("openai", choice)).body["tool_choice"]).toBe("required");
    expect((await capture("anthropic", choice)).body["tool_choice"]).toMatchObject({ type: "any" });
    expect((await capture("openrouter", choice)).body["tool_choice"]).toBe("required");
    const google = (await capture("google", choice)).body;
    expect(google["toolConfig"]).toMatchObject({ functionCallingConfig: { mode: "ANY" } });
  });

  it("The limit of one call at a time is sent to providers that support it", async () => {
    const one = { tools, parallelToolCalls: false };
    expect((await capture("openai", one)).body["parallel_tool_calls"]).toBe(false);
    expect((await capture("openrouter", one)).body["parallel_tool_calls"]).toBe(false);
    expect((await capture("anthropic", one)).body["tool_choice"]).toMatchObject({ disable_parallel_tool_use: true });
    // OpenAI refuses the field if there are no tools, and its first reasoning models always refuse it.
    expect((await capture("openai", one, { model: "o4-mini" })).body["parallel_tool_calls"]).toBeUndefined();
    expect((await capture("openai", { parallelToolCalls: false })).body["parallel_tool_calls"]).toBeUndefined();
  });
});

describe("limits", () => {
  it("The prompt's temperature and token limit replace the model's, and requests to Anthropic have a default token limit", async () => {
    const definition = { maxTokens: 500, temperature: 0.2 };
    const own = (await capture("openai", {}, definition)).body;
    expect([own["max_tokens"], own["temperature"]]).toEqual([500, 0.2]);
    const over = (await capture("openai", { maxTokens: 90, temperature: 0.9 }, definition)).body;
    expect([over["max_tokens"], over["temperature"]]).toEqual([90, 0.9]);
    expect((await capture("anthropic")).body["max_tokens"]).toBe(8192);
    expect((await capture("openai")).body["max_tokens"]).toBeUndefined();
  });

  it("A server is sent the token limit in the field that `compat.maxTokensField` names", async () => {
    const compat = { maxTokensField: "max_completion_tokens", supportsDeveloperRole: true } as const;
    const { body } = await capture("openai", {}, { maxTokens: 77, compat });
    expect([body["max_tokens"], body["max_completion_tokens"]]).toEqual([undefined, 77]);
    expect(body["messages"]?.[0]).toMatchObject({ role: "developer" });
  });
});

describe("thinking", () => {
  const thinking = async (more: Partial<ModelRequest>, definition: Partial<AnyModelDefinition> = {}) => {
    const { body } = await capture("anthropic", more, definition);
    return [body["thinking"]?.["budget_tokens"], body["max_tokens"]];
  };

  it("Anthropic's thinking budget follows the effort, raised to its minimum and kept under max_tokens", async () => {
    expect(await thinking({ reasoning: { effort: "low" } })).toEqual([1024, 8192]);
    expect(await thinking({ reasoning: { effort: "medium" } })).toEqual([2048, 8192]);
    expect(await thinking({ reasoning: { effort: "high" } })).toEqual([7168, 8192]);
    expect(await thinking({ reasoning: { effort: "high" }, maxTokens: 20_000 })).toEqual([8192, 20_000]);
    expect(await thinking({ reasoning: { effort: "low", maxTokens: 4000 } })).toEqual([4000, 8192]);
    expect(await thinking({ reasoning: { effort: "high" }, maxTokens: 1024 })).toEqual([undefined, 1024]);
    expect(await thinking({ reasoning: { maxTokens: 1 } })).toEqual([1024, 8192]);
    expect(await thinking({ reasoning: { maxTokens: 0 } })).toEqual([undefined, 8192]);
    expect(await thinking({}, { thinkingLevel: "medium" })).toEqual([2048, 8192]);
    expect(await thinking({}, { thinkingLevel: "off" })).toEqual([undefined, 8192]);
    expect(await thinking({ reasoning: {} })).toEqual([undefined, 8192]);
  });

  it("Anthropic is sent no thinking options with a forced call or after another provider's calls, because it would refuse them", async () => {
    const reasoning = { effort: "high" } as const;
    expect(await thinking({ reasoning, tools, toolChoice: "required" })).toEqual([undefined, 8192]);
    // A loop that another provider began: its calls have no thinking that Anthropic signed.
    const messages = [user("?"), ...callAndResult("call_1234567890")];
    expect(await thinking({ reasoning, messages, tools })).toEqual([undefined, 8192]);
  });

  it.each([
    [1, "minimal"],
    [128, "minimal"],
    [129, "low"],
    [512, "low"],
    [513, "medium"],
    [2048, "medium"],
    [2049, "high"],
  ])("A number of %i tokens asks OpenAI for the effort %s, the lowest one with as many", async (maxTokens, effort) => {
    const { body } = await capture("openai", { reasoning: { maxTokens } }, { model: "gpt-5" });
    expect(body["reasoning_effort"]).toBe(effort);
  });

  it("OpenAI, OpenRouter and Google are sent reasoning options in their own fields", async () => {
    const high = { reasoning: { effort: "high" } } as const;
    expect((await capture("openai", high, { model: "o4-mini" })).body["reasoning_effort"]).toBe("high");
    expect((await capture("openai", high, { model: "gpt-4o" })).body["reasoning_effort"]).toBeUndefined();
    const openrouter = (await capture("openrouter", { reasoning: { maxTokens: 3000, exclude: true } })).body;
    expect(openrouter["reasoning"]).toEqual({ max_tokens: 3000, exclude: true });
    expect((await capture("openrouter", high)).body["reasoning"]).toEqual({ effort: "high" });
    const google = (await capture("google", high, { model: "gemini-2.5-flash" })).body;
    expect(google["generationConfig"]?.["thinkingConfig"]).toEqual({ thinkingBudget: 8192, includeThoughts: true });
    const third = (await capture("google", high, { model: "gemini-3-pro-preview" })).body;
    expect(third["generationConfig"]?.["thinkingConfig"]).toEqual({ thinkingLevel: "high", includeThoughts: true });
  });

  it("A thinking budget that is raised to the minimum is logged as a warning", async () => {
    const requested = request(model("anthropic", "case:text"), { reasoning: { effort: "low" } });
    const parts = await collect(serverPort().stream(requested, new AbortController().signal));
    expect(parts[0]).toMatchObject({ type: "raw", chunk: expect.stringContaining("floor of 1024") });
  });
});

describe("caching", () => {
  const messages = [
    user("One"),
    message("assistant", { parts: [{ type: "text", text: "Two" }] }),
    user("Three"),
    ...callAndResult("toolu_01AAAA"),
  ];

  /** The blocks with a cache mark. */
  async function marked(cache?: PromptCache, more: ModelRequest["messages"] = []): Promise<string[]> {
    const definition = cache === undefined ? {} : { cache };
    const { body } = await capture("anthropic", { tools, messages: [...messages, ...more] }, definition);
    const found: string[] = [];
    for (const block of body["system"] ?? []) if (block["cache_control"]) found.push("system");
    for (const tool of body["tools"] ?? [])
      if (tool["cache_control"]) found.push(`tool ${JSON.stringify(tool["name"])}`);
    for (const [index, entry] of [...(body["messages"] ?? [])].entries()) {
      for (const block of entry["content"] ?? []) if (block["cache_control"]) found.push(`message ${index}`);
    }
    return found;
  }

  it("Anthropic's cache breakpoints are on the last system block, the last tool and the second-to-last message", async () => {
    expect(await marked()).toEqual(["system", 'tool "last"', "message 3"]);
    expect(await marked("auto")).toEqual(["system", 'tool "last"', "message 3"]);
    expect(await marked("disabled")).toEqual([]);
    expect(await marked({ tools: true })).toEqual(['tool "last"']);
    expect(await marked({ system: true, messages: true })).toEqual(["system", "message 3"]);
  });

  it("For Anthropic, a tool result and the user's text after it are one message, so the message before it gets the cache breakpoint", async () => {
    expect(await marked({ messages: true }, [user("Thanks")])).toEqual(["message 3"]);
  });

  it("A request to Anthropic with a single message has no cache breakpoint, and requests to OpenAI have none either", async () => {
    const { body } = await capture("anthropic", { messages: [user("One")], system: "" });
    expect(JSON.stringify(body)).not.toContain("cache_control");
    expect(JSON.stringify((await capture("openai", { tools, messages })).body)).not.toMatch(/cache/);
  });
});

describe("routing, addresses and keys", () => {
  it("A model's `includedProviders` are sent to OpenRouter as the order of preference, with fallbacks allowed", async () => {
    const { body } = await capture("openrouter", {}, { includedProviders: ["anthropic", "azure"] });
    expect(body["provider"]).toEqual({ order: ["anthropic", "azure"], allow_fallbacks: true });
    expect(body["usage"]).toEqual({ include: true });
    expect((await capture("openrouter")).body["provider"]).toBeUndefined();
  });

  it.for(providers)(
    "The provider %s is sent requests at the address and with the headers of the model's definition",
    async (provider) => {
      const definition = { baseUrl: "https://proxy.example/base/", headers: { "x-team": "blue" } };
      const { url, headers } = await capture(provider, {}, definition);
      expect(url.startsWith("https://proxy.example/base/")).toBe(true);
      expect(headers["x-team"]).toBe("blue");
    },
  );

  it("A base URL with only a host is completed with the provider's path", async () => {
    const { url } = await capture("anthropic", {}, { baseUrl: "https://proxy.example" });
    expect(url).toBe("https://proxy.example/v1/messages");
  });

  it("A token of a Claude subscription is sent to Anthropic as a bearer token, with its beta header", async () => {
    const caught: Headers[] = [];
    const port = serverPort({
      env: { ANTHROPIC_API_KEY: "sk-ant-oat01-abc" },
      fetch: (_input, init) => {
        caught.push(new Headers(init?.headers));
        return Promise.resolve(new Response("", { status: 401 }));
      },
    });
    await collect(port.stream(request(model("anthropic", "claude-haiku-4-5")), new AbortController().signal));
    expect(caught).toHaveLength(1);
    expect(caught[0]?.get("authorization")).toBe("Bearer sk-ant-oat01-abc");
    expect(caught[0]?.get("anthropic-beta")).toContain("oauth-2025-04-20");
    expect(caught[0]?.get("x-api-key")).toBeNull();
  });
});
