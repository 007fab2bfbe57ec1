// Failures in a loop: retries, overflows, refusals, limits of time, and tools that misbehave.

import { describe, expect, it, vi } from "vitest";

import { createTool } from "#facade/phi/index.ts";
import { ProviderError } from "#facade/phi/provider/provider-error.ts";

import { play, textsOf } from "./support/play.ts";

const retries = { max_retries: 2, initial_delay_ms: 0, backoff_multiplier: 1, max_delay_ms: 0 };
const object = { type: "object", properties: {} };

describe("a request that fails", () => {
  it("A retried answer that had begun ends as an error, is in no list, and another answer begins", async () => {
    const logged = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const { order, returned, events, provider } = await play({
      answers: [{ text: "Half", error: ProviderError.network("It hung up.") }, { text: "Whole." }],
      config: { retryConfig: retries },
    });
    expect(provider.requests).toHaveLength(2);
    expect(textsOf(returned)).toEqual(["user: Hello.", "assistant stop: Whole."]);
    expect(order.slice(4)).toEqual([
      "MessageStart assistant",
      "MessageUpdate assistant",
      "MessageEnd assistant",
      "MessageStart assistant",
      "MessageUpdate assistant",
      "MessageEnd assistant",
      "TurnEnd",
      "AgentEnd",
    ]);
    const [failed] = events.filter(({ type }) => type === "MessageEnd").slice(1);
    expect(failed).toMatchObject({
      message: { stop_reason: "error", error_message: expect.stringContaining("hung up") },
    });
    const line: unknown = JSON.parse(String(logged.mock.calls[0]?.[0]));
    expect(line).toMatchObject({ event: "model_retry", attempt: 1, max_retries: 2, delay_ms: 0 });
    expect(line).toMatchObject({ error: expect.stringContaining("hung up") });
    logged.mockRestore();
  });

  it("Only errors of the network and of too many requests are retried, at most as often as the config says", async () => {
    const logged = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    for (const [error, requests] of [
      [ProviderError.rateLimited(0), 3],
      [ProviderError.network("gone"), 3],
      [ProviderError.auth("no key"), 1],
      [ProviderError.api("broken"), 1],
      [ProviderError.other("strange"), 1],
    ] as const) {
      const { provider, returned } = await play({
        answers: Array.from({ length: 5 }, () => ({ error })),
        config: { retryConfig: retries },
      });
      expect(provider.requests, error.kind).toHaveLength(requests);
      expect(returned.at(-1)).toMatchObject({ role: "assistant", stop_reason: "error", content: [] });
    }
    logged.mockRestore();
  });

  it("An answer that was shown before its final error keeps its text", async () => {
    const { returned } = await play({ answers: [{ text: "Half", error: ProviderError.api("broken") }] });
    expect(returned.at(-1)).toMatchObject({
      content: [{ type: "text", text: "Half" }],
      stop_reason: "error",
      error_message: expect.stringContaining("broken"),
    });
  });

  it("An overflow is the error of one turn, and the next turn sends less", async () => {
    const long = Array.from({ length: 12 }, (_none, at) => ({
      role: "user" as const,
      content: [{ type: "text" as const, text: `${at} ${"word ".repeat(300)}` }],
      timestamp: at,
    }));
    const { returned, provider, events } = await play({
      answers: [{ error: ProviderError.contextOverflow("prompt is too long") }, { text: "Done." }],
      context: { messages: long },
      config: { contextConfig: { max_context_tokens: 50_000 } },
    });
    const sizes = provider.requests.map(({ messages }) => JSON.stringify(messages).length);
    expect(sizes).toHaveLength(2);
    expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) * 0.8);
    expect(textsOf(returned).slice(1)).toEqual(["assistant error: ", "assistant stop: Done."]);
    expect(events.filter(({ type }) => type === "TurnStart")).toMatchObject([{ turn_index: 0 }, { turn_index: 1 }]);
  });

  it("An overflow without a budget, and a second overflow, end the loop", async () => {
    const overflow = { error: ProviderError.contextOverflow("prompt is too long") };
    const without = await play({ answers: [overflow, { text: "never" }] });
    expect(without.provider.requests).toHaveLength(1);
    const second = await play({ answers: [overflow, overflow, { text: "never" }], config: { contextConfig: {} } });
    expect(second.provider.requests).toHaveLength(2);
    expect(second.returned.at(-1)).toMatchObject({ stop_reason: "error" });
  });

  it("Thinking is shown, and is sent back with its signature", async () => {
    const { provider, events } = await play({
      answers: [{ thinking: "Hm.", tool_calls: [{ name: "echo", arguments: {} }] }, { text: "Done." }],
      tools: [createTool({ name: "echo", description: "", parameters: object, execute: () => "ok" })],
    });
    expect(events.flatMap((event) => (event.type === "MessageUpdate" ? [Object.keys(event.delta)[0]] : []))).toContain(
      "Thinking",
    );
    expect(provider.requests[1]?.messages[1]).toMatchObject({
      content: [{ type: "thinking", thinking: "Hm." }, { type: "toolCall" }],
    });
  });
});

describe("a tool that misbehaves", () => {
  it("A result of 10 MB arrives whole, once", async () => {
    const text = "x".repeat(10_000_000);
    const big = createTool({ name: "big", description: "", parameters: object, execute: () => text });
    const { returned } = await play({
      answers: [{ tool_calls: [{ name: "big", arguments: {} }] }, { text: "Done." }],
      tools: [big],
    });
    const results = returned.filter(({ role }) => role === "toolResult");
    expect(results).toHaveLength(1);
    expect(textsOf(results)[0]).toHaveLength("toolResult: ".length + text.length);
  });

  it("With abortAtLimit a call that never ends is cancelled when the time is over, and the loop states the limit", async () => {
    const hangs = createTool({
      name: "hangs",
      description: "",
      parameters: object,
      execute: () => new Promise(() => undefined),
    });
    const { returned } = await play({
      answers: [{ tool_calls: [{ name: "hangs", arguments: {} }] }, { text: "never" }],
      tools: [hangs],
      config: { executionLimits: { max_duration: { secs: 0, nanos: 50_000_000 } }, abortAtLimit: true },
    });
    expect(textsOf(returned).slice(2)).toEqual([
      "toolResult error: Cancelled.",
      "user: [Agent stopped: max duration exceeded]",
    ]);
  });

  it("A tool that keeps and changes its result changes nothing of the conversation", async () => {
    const kept = { content: [{ type: "text" as const, text: "first" }], details: { a: 1 } };
    const tool = createTool({ name: "keeps", description: "", parameters: object, execute: () => kept });
    const { returned, events } = await play({
      answers: [
        { tool_calls: [{ name: "keeps", arguments: {} }] },
        () => {
          kept.content[0] = { type: "text", text: "changed" };
          kept.details.a = 2;
          return { text: "Done." };
        },
      ],
      tools: [tool],
    });
    expect(textsOf(returned)[2]).toBe("toolResult: first");
    expect(events.find(({ type }) => type === "ToolExecutionEnd")).toMatchObject({ result: { details: { a: 1 } } });
  });

  it("Updates after the end of a call are dropped", async () => {
    let late = (): void => undefined;
    const tool = createTool({
      name: "late",
      description: "",
      parameters: object,
      execute(_params, { on_progress }) {
        late = () => on_progress("late");
        return "ok";
      },
    });
    const { events } = await play({
      answers: [{ tool_calls: [{ name: "late", arguments: {} }] }, () => (late(), { text: "Done." })],
      tools: [tool],
    });
    expect(events.filter(({ type }) => type === "ProgressMessage")).toEqual([]);
  });
});

describe("functions of a program that throw", () => {
  it("A filter that throws rejects the loop before its first event, and changes nothing of the context", async () => {
    const received: string[] = [];
    const context = { messages: [] };
    const filter = {
      filter: () => {
        throw new Error("no dictionary");
      },
    };
    const played = play({
      answers: [{ text: "never" }],
      context,
      config: { inputFilters: [filter] },
      onEvent: ({ type }) => void received.push(type),
    });
    await expect(played).rejects.toThrow("no dictionary");
    expect(received).toEqual([]);
    expect(context.messages).toEqual([]);
  });

  it.each(["AgentStart", "MessageUpdate", "ToolExecutionStart", "AgentEnd"])(
    "A sender that throws at %s cancels the loop, receives nothing more, and the loop rejects with its error",
    async (at) => {
      const received: string[] = [];
      const echo = createTool({ name: "echo", description: "", parameters: object, execute: () => "ok" });
      const played = play({
        answers: [{ text: "First", tool_calls: [{ name: "echo", arguments: {} }] }, { text: "Done." }],
        tools: [echo],
        onEvent: ({ type }) => {
          received.push(type);
          if (type === at) throw new Error("closed");
        },
      });
      await expect(played).rejects.toThrow("closed");
      expect(received.at(-1)).toBe(at);
      expect(received.filter((type) => type === at)).toHaveLength(1);
    },
  );
});
