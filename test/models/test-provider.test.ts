// The scripted provider: what it plays, and the errors of faulty scripts.

import { describe, expect, it } from "vitest";

import type { ModelMessage, ModelPart } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";
import type { TestRequest, TestScript } from "#spec/index.ts";

import { callAndResult, collect, message, model, readAnswer, request, serverPort, emitted, user } from "./ask-model.ts";
import { grammarFaults } from "./grammar.ts";

const said = (text: string): ModelMessage => message("assistant", { parts: [{ type: "text", text }] });

async function play(script: TestScript, messages: ModelMessage[] = [user("Hi")], more = {}): Promise<ModelPart[]> {
  const requested = request(model("test", "scripted", { script, ...more }), { messages });
  const parts = await collect(serverPort().stream(requested, new AbortController().signal));
  expect(grammarFaults(parts)).toEqual([]);
  return parts;
}

describe("a script", () => {
  it("A test model's script is played turn by turn, and the number of answers in the transcript selects the turn", async () => {
    const script = [{ text: "first" }, { text: "second" }];
    expect(readAnswer(await play(script)).text).toBe("first");
    expect(readAnswer(await play(script, [user("Hi"), said("first"), user("And?")])).text).toBe("second");
    // Nothing is stored between calls, so the same request gets the same answer after a crash.
    expect(readAnswer(await play(script)).text).toBe("first");
  });

  it("A test model's script streams thinking, text and calls as blocks in order", async () => {
    const parts = await play([
      { thinking: "let me see", text: "Two words", toolCalls: [{ name: "a", arguments: { b: 1 } }] },
    ]);
    const blocks = emitted(parts).filter((part) => !part.type.endsWith("_delta"));
    expect(blocks.map((part) => part.type)).toEqual([
      "thinking_start",
      "thinking_end",
      "text_start",
      "text_end",
      "toolcall_start",
      "toolcall_end",
      "finish",
    ]);
    expect(readAnswer(parts)).toMatchObject({
      thinking: "let me see",
      text: "Two words",
      calls: [{ name: "a", arguments: '{"b":1}' }],
    });
    expect(parts.at(-1)).toMatchObject({ stop_reason: "tool_calls" });
  });

  it("A test model's script streams a text word by word, a list of texts as its chunks, and arguments in several deltas", async () => {
    const deltas = async (script: TestScript): Promise<string[]> =>
      (await play(script)).flatMap((part) => ("delta" in part ? [part.delta] : []));
    expect(await deltas([{ text: "Two words" }])).toEqual(["Two ", "words"]);
    expect(await deltas([{ text: ["Tw", "o wor", "ds"] }])).toEqual(["Tw", "o wor", "ds"]);
    const pieces = await deltas([{ toolCalls: [{ name: "a", arguments: { text: "𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞𝄞" } }] }]);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
  });

  it("A test model's script may be a function, which receives the request and returns the turn", async () => {
    const given: TestRequest[] = [];
    const messages = [
      message("system", { parts: [{ type: "text", text: "More." }] }),
      user("Weather?"),
      ...callAndResult("call_abcdefgh"),
    ];
    await play((requested) => {
      given.push(requested);
      return { text: "ok" };
    }, messages);
    expect(given).toEqual([
      {
        system: "Be brief.\n\nMore.",
        messages: [
          { role: "user", content: "Weather?" },
          {
            role: "assistant",
            content: "",
            tool_calls: [{ id: "call_abcdefgh", name: "get_weather", arguments: { city: "Oslo" } }],
          },
          { role: "tool", content: "sunny", tool_call_id: "call_abcdefgh", name: "get_weather" },
        ],
        tools: [],
        toolChoice: "auto",
        parallelToolCalls: true,
        reasoning: null,
        step: 1,
        lastUser: "Weather?",
      },
    ]);
  });

  it("A test model's own signed thinking is sent back to it, and thinking of other models is not", async () => {
    const signed = await play([{ thinking: "hm", signature: "s1", text: "ok" }]);
    expect(emitted(signed)).toContainEqual({
      type: "thinking_end",
      index: 0,
      provider_data: { provider: "test", data: { signature: "s1" } },
    });
    const thought = (provider: string): StoredPart => ({
      type: "thinking",
      thinking: "hm",
      provider_data: { provider, data: { signature: "s1" } },
    });
    const answer = message("assistant", { parts: [thought("test"), thought("google"), { type: "text", text: "ok" }] });
    const given: TestRequest[] = [];
    await play(
      (requested) => {
        given.push(requested);
        return { text: "ok" };
      },
      [user("Hi"), answer, user("And?")],
    );
    expect(given[0]?.messages[1]).toEqual({
      role: "assistant",
      content: "ok",
      thinking: [{ text: "hm", signature: "s1" }],
    });
  });

  it("Calls without an id get one that is unique in the transcript and the same when the step is requested again", async () => {
    const script: TestScript = () => ({
      toolCalls: [
        { name: "a", arguments: {} },
        { name: "a", arguments: "" },
      ],
    });
    const ids = readAnswer(await play(script)).calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(readAnswer(await play(script)).calls.map(({ id }) => id)).toEqual(ids);
    const later = await play(script, [user("Hi"), ...callAndResult(ids[0] ?? "")]);
    expect(readAnswer(later).calls.map(({ id }) => id)).not.toContain(ids[0]);
  });

  it("The token counts of a test model's answer are those in its script, or estimated", async () => {
    const own = await play([{ text: "x", usage: { input: 9, output: 8, cacheRead: 7, cacheWrite: 6 } }]);
    const usage = { input: 9, output: 8, cache_read: 7, cache_write: 6, total_tokens: 30 };
    expect(own.at(-1)).toMatchObject({ usage });
    // "Be brief." 3, "Hi" 1 and 4 for the message; "four words" 3, the call "ab" 1 + "{}" 1 + 8.
    const estimated = await play([{ text: "four words", toolCalls: [{ name: "ab", arguments: {} }] }]);
    expect(estimated.at(-1)).toMatchObject({ usage: { input: 8, output: 13, total_tokens: 21 } });
  });

  it("The stop reason in a test model's script is that of the answer, and an unknown stop reason is a failure", async () => {
    expect((await play([{ text: "x", stopReason: "length" }])).at(-1)).toMatchObject({ stop_reason: "length" });
    expect((await play([{ text: "x", stopReason: "bored" }])).at(-1)).toMatchObject({
      type: "error",
      failure: { kind: "api" },
    });
  });

  it("A test model's script can play a context overflow that the provider does not report", async () => {
    const parts = await play([{ text: "x", usage: { input: 900, cacheRead: 200 } }], undefined, {
      contextWindow: 1000,
    });
    expect(parts.at(-1)).toMatchObject({ type: "error", failure: { kind: "overflow" } });
  });

  it.for([
    [
      { message: "no", status: 429, retryAfterMs: 1500 },
      { kind: "rate_limited", retryable: true, retry_after_ms: 1500 },
    ],
    [{ message: "prompt is too long" }, { kind: "overflow", retryable: false }],
    [{ message: "no", status: 401 }, { kind: "auth" }],
    [
      { message: "no", status: 503 },
      { kind: "network", retryable: true },
    ],
    [{ message: "no" }, { kind: "api", retryable: false }],
    [
      { message: "no", kind: "network" },
      { kind: "network", retryable: true, message: "no" },
    ],
    [
      { message: "no", kind: "overflow", status: 400 },
      { kind: "overflow", retryable: false },
    ],
  ] as const)(
    "A test model's scripted error %j is emitted after the text of its turn, with the class of the error",
    async ([error, failure]) => {
      const parts = await play([{ text: "Half", error }]);
      expect(readAnswer(parts).text).toBe("Half");
      expect(parts.at(-1)).toMatchObject({ type: "error", failure });
    },
  );

  it("The delay in a test model's script is applied before each chunk, and an abort ends the answer", async () => {
    const waits: number[] = [];
    const abort = new AbortController();
    const port = serverPort({
      delay: (milliseconds) => {
        waits.push(milliseconds);
        if (waits.length === 2) abort.abort();
        return Promise.resolve();
      },
    });
    const requested = request(model("test", "slow", { script: [{ text: "one two three", delayMs: 40 }] }));
    const parts = await collect(port.stream(requested, abort.signal));
    expect(waits).toEqual([40, 40]);
    expect(readAnswer(parts)).toMatchObject({ text: "one ", end: { type: "error", failure: { kind: "aborted" } } });
  });

  it("An abort ends the delay in a test model's script at once", async () => {
    const abort = new AbortController();
    const requested = request(model("test", "slow", { script: [{ text: "one", delayMs: 3_600_000 }] }));
    const parts: ModelPart[] = [];
    for await (const part of serverPort().stream(requested, abort.signal)) {
      parts.push(part);
      if (part.type === "text_start") queueMicrotask(() => abort.abort());
    }
    expect(parts.at(-1)).toMatchObject({ type: "error", failure: { kind: "aborted" } });
  });
});

describe("faults of a script", () => {
  it.for([
    ["a list without remaining turns", [], "ran out: it has 0 turns and turn 1 was asked for"],
    ["a function that returns nothing", (() => undefined) as unknown as TestScript, "returned no turn"],
    [
      "a function that throws",
      () => {
        throw new Error("script broke");
      },
      "script broke",
    ],
  ] as const)(
    "A test model's script with a fault (%s) fails with an error that names the problem, and is not retried",
    async ([, script, words]) => {
      const end = (await play(script as TestScript)).at(-1);
      expect(end).toMatchObject({ type: "error", failure: { kind: "api", retryable: false } });
      expect(JSON.stringify(end)).toContain(words);
    },
  );

  it("The error of a test model without a script explains how to add a script", async () => {
    const parts = await collect(serverPort().stream(request(model("test", "bare")), new AbortController().signal));
    expect(parts).toMatchObject([{ type: "error", failure: { kind: "api", retryable: false } }]);
    expect(JSON.stringify(parts)).toContain("script: [");
  });
});
