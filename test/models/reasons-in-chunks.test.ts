// Finish reasons in the middle of a stream: older models of Gemini send one in each chunk, and gateways send a text in place of null. Such a
// reason ends no answer: content, pauses and errors after it count.

import { describe, expect, it } from "vitest";

import type { Timers } from "#lib/timers.ts";
import { createModelPort } from "#models/create-model-port.ts";

import { answerTo } from "./answer-to.ts";
import { collect, model, readAnswer, request, serverEnv, type Provider } from "./ask-model.ts";

const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };

/** A chunk with a text and a finish reason; null for no reason. */
const chunks: Record<"openai" | "openrouter" | "google", (text: string, reason: string | null) => object> = {
  openai: (content, finish_reason) => ({ id: "c", choices: [{ index: 0, delta: { content }, finish_reason }], usage }),
  openrouter: (content, finish_reason) => ({
    id: "c",
    choices: [{ index: 0, delta: { content }, finish_reason }],
    usage,
  }),
  google: (text, reason) => ({
    candidates: [
      { content: { role: "model", parts: [{ text }] }, ...(reason === null ? {} : { finishReason: reason }) },
    ],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, totalTokenCount: 7 },
  }),
};
const wires = Object.keys(chunks) as (keyof typeof chunks)[];
const stopOf = (wire: keyof typeof chunks): string => (wire === "google" ? "STOP" : "stop");

const frame = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const error = frame({ error: { message: "The meter failed.", type: "server_error", code: 500 } });

/** The pieces of an Anthropic stream, in which `reason` arrives before the second text. */
function anthropicPieces(reason: string): string[] {
  const block = (index: number, text: string): string =>
    [
      { type: "content_block_start", index, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index, delta: { type: "text_delta", text } },
      { type: "content_block_stop", index },
    ]
      .map(frame)
      .join("");
  const begin = { id: "m", role: "assistant", content: [], model: "c", usage: { input_tokens: 1, output_tokens: 1 } };
  const ended = (stop_reason: string): string =>
    frame({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 2 } });
  return [
    frame({ type: "message_start", message: begin }) + block(0, "One ") + ended(reason),
    block(1, "two."),
    ended("end_turn") + frame({ type: "message_stop" }),
  ];
}

/** The answer to pieces between which the connection is silent for as long as timers wait. */
async function afterPauses(provider: Provider, pieces: readonly string[], closes: boolean) {
  const rest = pieces.map((piece) => new TextEncoder().encode(piece));
  const armed: (() => void)[] = [];
  const timers: Timers = { after: (_milliseconds, run) => (armed.push(run), () => {}) };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = rest.shift();
        // The first piece may be the whole answer, so it is followed at once.
        if (rest.length < pieces.length - 2) {
          await new Promise((resolve) => setImmediate(resolve));
          for (const run of armed.splice(0)) run();
        }
        if (next !== undefined) controller.enqueue(next);
        else if (closes) controller.close();
        else for (const run of armed.splice(0)) run();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "content-type": "text/event-stream" };
  const port = createModelPort({
    env: serverEnv("https://provider.example"),
    fetch: () => Promise.resolve(new Response(body, { headers })),
    timers,
  });
  return readAnswer(await collect(port.stream(request(model(provider, "any")), new AbortController().signal)));
}

describe("reasons in each chunk", () => {
  it.for(wires)(
    "ANSWER1 An answer of %s with a reason in each chunk has all of its text, however long the pauses are",
    async (wire) => {
      const pieces = ["One ", "two ", "three ", "four."].map((text) => frame(chunks[wire](text, stopOf(wire))));
      expect(await afterPauses(wire, pieces, true)).toMatchObject({
        text: "One two three four.",
        end: { type: "finish", stop_reason: "stop" },
      });
    },
  );

  it.for(wires)("An error of %s after chunks with a reason ends the answer with that error", async (wire) => {
    const sent = ["One ", "two "].map((text) => frame(chunks[wire](text, stopOf(wire)))).join("") + error;
    expect((await answerTo(wire, sent)).end).toMatchObject({ type: "error", failure: { retryable: true } });
    expect((await answerTo(wire, sent.replace(error, ""), "reset")).end).toMatchObject({ type: "error" });
  });

  it("Content of Anthropic after a reason is part of the answer, and an error after it counts", async () => {
    const pieces = anthropicPieces("end_turn");
    expect(await afterPauses("anthropic", pieces, true)).toMatchObject({ text: "One two.", end: { type: "finish" } });
    const failed = `${pieces.slice(0, 2).join("")}event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Busy"}}\n\n`;
    expect((await answerTo("anthropic", failed)).end).toMatchObject({ type: "error", failure: { retryable: true } });
  });

  it("A reason that comes alone after such chunks ends the answer, also on a connection that stays open", async () => {
    const pieces = ["One ", "two."].map((text) => frame(chunks.openai(text, "stop")));
    const last = frame({ id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }], usage });
    expect(await afterPauses("openai", [...pieces, last], false)).toMatchObject({
      text: "One two.",
      end: { type: "finish", stop_reason: "stop" },
    });
  });
});

describe("a text in place of null", () => {
  const nothing = ["null", "", " ", "None", "undefined"];
  const cases = wires.flatMap((wire) => nothing.map((reason) => [wire, reason] as const));

  it.for(cases)(
    "An answer of %s whose chunks have the reason %j goes on after each pause and ends at its real one",
    async ([wire, reason]) => {
      const pieces = ["One ", "two ", "three."].map((text) => frame(chunks[wire](text, reason)));
      const last = frame(chunks[wire]("", stopOf(wire)));
      expect(await afterPauses(wire, [...pieces, last], true)).toMatchObject({
        text: "One two three.",
        end: { type: "finish", stop_reason: "stop" },
      });
    },
  );

  it.for(cases)(
    "An error of %s after a chunk with the reason %j ends the answer with that error",
    async ([wire, reason]) => {
      const sent = frame(chunks[wire]("One ", reason)) + error;
      expect((await answerTo(wire, sent)).end).toMatchObject({ type: "error", failure: { retryable: true } });
      const cut = await answerTo(wire, frame(chunks[wire]("One ", reason)), "reset");
      expect(cut.end).toMatchObject({ type: "error", failure: { kind: "network" } });
    },
  );

  it.for([...wires, "anthropic"] as const)(
    "An answer of %s that ends with a text in place of a reason is cut, although its body ends",
    async (wire) => {
      const [begin = ""] = anthropicPieces("null");
      const sent = wire === "anthropic" ? begin : frame(chunks[wire]("One ", "null"));
      expect((await answerTo(wire, sent)).end).toMatchObject({ type: "error", failure: { kind: "network" } });
    },
  );

  it("A text in place of null is no reason of Anthropic", async () => {
    expect(await afterPauses("anthropic", anthropicPieces("null"), true)).toMatchObject({
      text: "One two.",
      end: { type: "finish", stop_reason: "stop" },
    });
  });

  it("A call whose chunks have a text in place of null is complete with its name and arguments", async () => {
    const piece = (call: object, finish_reason: string): string =>
      frame({ id: "c", choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] }, finish_reason }] });
    const sent = [
      piece({ id: "c1", type: "function", function: { name: "get_", arguments: "" } }, "null"),
      piece({ function: { name: "weather", arguments: "" } }, ""),
      piece({ function: { arguments: '{"city":"Oslo"}' } }, "null"),
      frame({ id: "c", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
      "data: [DONE]\n\n",
    ].join("");
    expect(await answerTo("openai", sent)).toMatchObject({
      calls: [{ name: "get_weather", arguments: '{"city":"Oslo"}' }],
      end: { type: "finish", stop_reason: "tool_calls" },
    });
  });
});
