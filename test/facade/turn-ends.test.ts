// Ends of turns and executions that no answer shows: tokens of failed requests, calls after an abort, rejections, and pauses of a reader.

import { afterEach, expect, it, vi } from "vitest";

import type { ExecutionStrategy } from "#facade/uap/agent-contract.ts";
import { memoryCheckpoints } from "#facade/uap/checkpoint/memory-checkpoints.ts";
import { partialState } from "#facade/uap/partial-state.ts";
import { createProvider } from "#facade/upp/create-provider.ts";
import { llm } from "#facade/upp/llm.ts";
import { bothObservers } from "#facade/upp/run-turn.ts";

import { longAnswer } from "./support/long-answer.ts";
import { add, call, gate, instance, rejection, tool } from "./support/scripted-llm.ts";
import { recordedScript, scriptedAgent } from "./uap/support/scripted-agent.ts";

afterEach(() => {
  vi.useRealTimers();
});

it("An error for an exhausted quota or balance is QUOTA_EXCEEDED, and one for too many requests is RATE_LIMITED", async () => {
  const failed = async (body: object) => {
    const fetch = () => Promise.resolve(Response.json({ error: body }, { status: 429 }));
    const model = createProvider({ protocol: "openai", name: "openai" })("gpt-5", { contextWindow: 1000 });
    return rejection(llm({ model, config: { apiKey: "k", fetch } }).generate("Go."));
  };
  const quota = { message: "You exceeded your current quota.", type: "insufficient_quota", code: "insufficient_quota" };
  expect(await failed(quota)).toMatchObject({ code: "QUOTA_EXCEEDED", statusCode: 429 });
  const busy = { message: "Rate limit reached.", type: "requests", code: "rate_limit_exceeded" };
  expect(await failed(busy)).toMatchObject({ code: "RATE_LIMITED", statusCode: 429 });
});

it("The provider's timeout does not elapse while a reader pauses for longer, also if the timeout is shorter than a second", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
  // Everything that can happen without a further read has happened after a few turns of the event loop.
  const settle = async () => {
    for (let turn = 0; turn < 300; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const { model } = longAnswer(3000);
  const stream = llm({ model, config: { timeout: 400 } }).stream("Go.");
  stream.turn.catch(() => undefined);
  const reader = stream[Symbol.asyncIterator]();
  await reader.next();
  await settle();
  for (let pause = 0; pause < 20; pause += 1) await vi.advanceTimersByTimeAsync(50);
  let read = 0;
  while ((await reader.next()).done !== true) read += 1;
  expect(read).toBeGreaterThan(3000);
  expect((await stream.turn).response.text).toHaveLength(3000);
});

it("The token counts of a turn include the tokens of a failed request, and the counts of its cycles do not", async () => {
  const script = recordedScript([
    { text: "Half", error: { status: 503, message: "Overloaded." } },
    { text: "Whole.", usage: { input: 10, output: 5 } },
  ]).script;
  const config = { retryStrategy: { onRetry: () => 0 } };
  const { usage } = await instance(script, { config }).generate("Go.");
  expect(usage.cycles).toMatchObject([{ inputTokens: 10, outputTokens: 5 }]);
  expect(usage.inputTokens).toBeGreaterThan(10);
});

it("If a tool returns its result only after an abort, the messages of the partial state do not contain this result", async () => {
  const started = gate();
  const abort = new AbortController();
  const late = tool("late", (_params, { signal }) => {
    started.open();
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve("Too late."));
    });
  });
  const { script } = recordedScript([{ toolCalls: [call("late")] }]);
  const ended = rejection(scriptedAgent(script, { tools: [late], signal: abort.signal }).query("Go."));
  await started.passed;
  abort.abort();
  const messages = partialState(await ended)?.messages ?? [];
  expect(messages).toHaveLength(3);
  expect(JSON.stringify(messages.at(-1))).not.toContain("Too late.");
});

it("If onMaxIterations rejects, the turn ends with the same error", async () => {
  const thrown = new Error("The log is full.");
  const script = [{ toolCalls: [call("add")] }, { toolCalls: [call("add")] }];
  const toolStrategy = { maxIterations: 1, onMaxIterations: () => Promise.reject(thrown) };
  expect(await rejection(instance(script, { tools: [add], toolStrategy }).generate("Go."))).toBe(thrown);
});

it("A tool result with content blocks and a further property is sent to the model as JSON", async () => {
  const blocks = { content: [{ type: "text", text: "One." }], other: 1 };
  const { script, requests } = recordedScript([{ toolCalls: [call("read")] }, { text: "Done." }]);
  await instance(script, { tools: [tool("read", () => blocks)] }).generate("Go.");
  expect(requests[1]?.at(-1)).toContain(JSON.stringify(blocks));
});

it("The retry strategy is not called if the function for the key throws", async () => {
  const onRetry = vi.fn(() => null);
  const apiKey = () => {
    throw new Error("The store of keys is closed.");
  };
  const model = createProvider({ protocol: "openai", apiKey, retryStrategy: { onRetry } })("m");
  expect(await rejection(llm({ model }).generate("Go."))).toMatchObject({ code: "AUTHENTICATION_FAILED" });
  expect(onRetry).not.toHaveBeenCalled();
});

it("If a custom strategy throws, the partial state has the session id of the agent, also if the state of the strategy's last step has none", async () => {
  const execution: ExecutionStrategy = {
    name: "broken",
    async execute({ strategy, state }) {
      await strategy.onStepStart?.(1, state.withMetadata("sessionId", undefined));
      throw new Error("Broken.");
    },
  };
  const checkpoints = memoryCheckpoints();
  const error = await rejection(scriptedAgent([], { execution, checkpoints, sessionId: "s-1" }).query("Go."));
  expect(partialState(error)?.metadata).toMatchObject({ sessionId: "s-1" });
});

it("With two observers, an answer waits until both are ready, and the second observer also receives each event and each part of media", async () => {
  const ready = gate();
  const received: unknown[] = [];
  const first = { onEvent: () => received.push("first"), untilReady: () => Promise.resolve() };
  const second = {
    onEvent: () => received.push("second"),
    onMedia: () => received.push("media"),
    untilReady: () => ready.passed,
  };
  const both = bothObservers(first, second);
  both.onEvent?.({} as never, () => undefined);
  both.onMedia?.({} as never);
  void both.untilReady?.(() => {})?.then(() => received.push("ready"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(received).toEqual(["first", "second", "media"]);
  ready.open();
  await vi.waitUntil(() => received.length === 4);
  expect(bothObservers(first, undefined)).toBe(first);
});
