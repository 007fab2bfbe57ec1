// Streams of Chat Completions that deviate from the protocol in one way each, as real servers send them, and answers that are not a
// stream. Each is read from bytes, at once and byte by byte.

import { describe, expect, it } from "vitest";

import { answerTo } from "./answer-to.ts";
import { emitted, providers } from "./ask-model.ts";
import { bytesOf } from "./fixture-bytes.ts";

type Delta = Record<string, unknown>;

const chunk = (delta: Delta, finish_reason: string | null = null): Delta => ({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "any",
  choices: [{ index: 0, delta, finish_reason }],
});
const usage = { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 };
const lines = (...chunks: (Delta | string)[]): string =>
  chunks.map((entry) => `data: ${typeof entry === "string" ? entry : JSON.stringify(entry)}\n\n`).join("");
const piece = (index: number | null, id: string | null, name: string | null, text: string | null): Delta => ({
  tool_calls: [{ ...(index === null ? {} : { index }), id, type: "function", function: { name, arguments: text } }],
});
const chats = ["openai", "openrouter"] as const;

describe.for(chats)("Chat Completions of %s", (provider) => {
  it.for(["whole", "bytes"] as const)(
    "Missing and empty fields of a chunk do not end the answer with an error (%s)",
    async (pieces) => {
      const text =
        lines(chunk({ role: "", content: "" }), "", chunk({ content: "Hel" })) +
        "data:\n\ndata\n\n: still here\n\n" +
        lines(
          chunk({ role: "tool", content: "lo" }),
          chunk({}, "stop"),
          { id: "c1", usage },
          { choices: null },
          "[DONE]",
        );
      const answer = await answerTo(provider, text, pieces);
      expect(answer).toMatchObject({
        text: "Hello",
        end: { type: "finish", stop_reason: "stop", usage: { total_tokens: 20 } },
      });
    },
  );

  it("Pieces of a tool name in several chunks form one call, also if the first piece is the whole name of another tool", async () => {
    const text = lines(
      chunk(piece(0, "call_aaaabbbbcccc1111", "get", "")),
      chunk(piece(0, null, "_wea", "")),
      chunk(piece(0, null, "ther", "")),
      chunk(piece(0, null, null, '{"city":"Os')),
      chunk(piece(0, null, null, 'lo"}')),
      chunk({}, "tool_calls"),
      "[DONE]",
    );
    const { calls, parts } = await answerTo(provider, text);
    expect(calls.map(({ name, arguments: given }) => [name, given])).toEqual([["get_weather", '{"city":"Oslo"}']]);
    expect(parts.filter((part) => part.type === "toolcall_start")).toMatchObject([{ name: "get_weather" }]);
  });

  it("A tool name is read once if each chunk repeats it, and is read completely if it is the beginning of a longer tool name", async () => {
    const again = lines(
      chunk(piece(0, "call_aaaabbbbcccc1111", "get_time", "")),
      chunk(piece(0, "call_aaaabbbbcccc1111", "get_time", '{"zone":')),
      chunk(piece(0, "call_aaaabbbbcccc1111", "get_time", '"UTC"}')),
      chunk({}, "tool_calls"),
      "[DONE]",
    );
    expect((await answerTo(provider, again)).calls).toMatchObject([{ name: "get_time", arguments: '{"zone":"UTC"}' }]);
    const short = lines(chunk(piece(0, "call_aaaabbbbcccc1111", "get", "")), chunk({}, "tool_calls"), "[DONE]");
    expect((await answerTo(provider, short)).calls).toMatchObject([{ name: "get", arguments: "{}" }]);
  });

  it("Two calls with the same index and different ids are emitted as two calls", async () => {
    const text = lines(
      chunk(piece(0, "call_aaaabbbbcccc1111", "get_weather", '{"city":"Oslo"}')),
      chunk(piece(0, "call_aaaabbbbcccc2222", "get_weather", "")),
      chunk(piece(0, null, null, '{"city":"Rome"}')),
      chunk({}, "tool_calls"),
      "[DONE]",
    );
    const { calls } = await answerTo(provider, text);
    expect(calls.map((call) => call.arguments)).toEqual(['{"city":"Oslo"}', '{"city":"Rome"}']);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
  });

  it("Calls without index, id or type are distinguished, also if their arguments are an object", async () => {
    const text = lines(
      chunk({
        tool_calls: [
          { id: "", function: { name: "get_weather", arguments: { city: "Oslo" } } },
          { function: { name: "get_weather", arguments: '{"city":"Rome"}' } },
        ],
      }),
      chunk({}, "stop"),
      "[DONE]",
    );
    const { calls, end } = await answerTo(provider, text);
    expect(calls.map((call) => JSON.parse(call.arguments) as unknown)).toEqual([{ city: "Oslo" }, { city: "Rome" }]);
    expect(end).toMatchObject({ stop_reason: "tool_calls" });
    // The same answer again gives the same ids.
    expect((await answerTo(provider, text)).calls).toEqual(calls);
  });

  it("A tool call is never emitted if the model's stream broke before its name was complete", async () => {
    const { parts, calls } = await answerTo(provider, lines(chunk(piece(0, "call_aaaabbbbcccc1111", "get", ""))));
    expect([calls, parts.filter((part) => part.type === "toolcall_start")]).toEqual([[], []]);
  });

  it.for([
    ["a bare text", lines(chunk({ content: "Hel" }), { error: "model runner has unexpectedly stopped" })],
    [
      "an object that calls itself an error",
      lines({ object: "error", message: "model runner has unexpectedly stopped", type: "BadRequestError", code: 400 }),
    ],
    [
      "a line of its own",
      `${lines(chunk({ content: "Hel" }))}error: {"code":500,"message":"model runner has unexpectedly stopped"}\n\n`,
    ],
    ["a line that is no JSON", "error: model runner has unexpectedly stopped\n\n"],
    ["a detail", lines({ detail: "model runner has unexpectedly stopped" })],
    ["an error without a message", lines({ error: { reason: "model runner has unexpectedly stopped" } })],
  ] as const)("The message of an error in a stream is kept: %s", async ([, text]) => {
    const { end, parts } = await answerTo(provider, text);
    expect(end).toMatchObject({ type: "error" });
    if (end.type === "error") expect(end.failure.message).toContain("model runner has unexpectedly stopped");
    // The log contains them too.
    expect(JSON.stringify(parts.filter((part) => part.type === "raw"))).toContain("unexpectedly stopped");
  });

  it("A complete answer in place of a stream is used as the answer", async () => {
    const call = { id: "call_aaaabbbbcccc1111", type: "function", function: { name: "get_time", arguments: "{}" } };
    const whole = {
      id: "c1",
      object: "chat.completion",
      created: 1,
      model: "any",
      choices: [
        { index: 0, message: { role: "assistant", content: "Hello", tool_calls: [call] }, finish_reason: "tool_calls" },
      ],
      usage,
    };
    const answer = await answerTo(provider, JSON.stringify(whole, null, 2), "bytes");
    expect(answer).toMatchObject({
      text: "Hello",
      calls: [{ name: "get_time" }],
      end: { type: "finish", stop_reason: "tool_calls", usage: { total_tokens: 20 } },
    });
  });

  it("[DONE] without a finish reason ends the answer", async () => {
    const text = lines(chunk({ content: "Hello" }), "[DONE]");
    expect(await answerTo(provider, text)).toMatchObject({
      text: "Hello",
      end: { type: "finish", stop_reason: "stop" },
    });
    const call = lines(chunk(piece(0, "call_aaaabbbbcccc1111", "get_time", "{}")), "[DONE]");
    expect(await answerTo(provider, call)).toMatchObject({
      calls: [{ name: "get_time" }],
      end: { stop_reason: "tool_calls" },
    });
  });

  it("The error for an unreadable chunk states the problem in a sentence and does not contain the chunk", async () => {
    const odd = { ...chunk({}), choices: [{ index: 0, delta: { content: { secret: "words of the answer" } } }] };
    const { end } = await answerTo(provider, lines(chunk({ content: "Hel" }), odd));
    if (end.type !== "error") throw new Error("it was read");
    expect(end.failure.message).toBe(
      "The provider sent a piece of its answer in a shape that its protocol does not have.",
    );
    const { end: garbled } = await answerTo(provider, 'data: {"choices": [\n\n');
    if (garbled.type !== "error") throw new Error("it was read");
    expect(garbled.failure).toMatchObject({
      message: "The provider sent a piece of its answer that is no JSON.",
      retryable: true,
    });
  });
});

/** Refusals of servers that also send the fields of an answer, without a choice. */
const refusalsWithChoices = [
  {
    choices: null,
    usage: { total_tokens: 0 },
    base_resp: { status_code: 1008, status_msg: "Your credit is used up." },
  },
  { code: 1113, msg: "Your credit is used up.", success: false, choices: null },
  { code: 1113, msg: "Your credit is used up.", success: false, choices: [] },
  { code: 1113, message: "Your credit is used up.", choices: [] },
];

describe("answers with status 200 that are no stream", () => {
  const refusals = [
    { error: { message: "Your credit is used up.", type: "invalid_request_error", code: "no_credit" } },
    { error: "Your credit is used up." },
    { object: "error", message: "Your credit is used up." },
    { detail: "Your credit is used up." },
    { message: "Your credit is used up.", code: 402 },
    { code: 1113, msg: "Your credit is used up.", success: false },
    { error_code: 17, error_msg: "Your credit is used up." },
    { message: "Your credit is used up.", type: "no_credit" },
    { errors: [{ message: "Your credit is used up." }] },
    { success: false, data: null, errors: [{ code: 10000, message: "Your credit is used up." }], result: null },
    { error: true, message: "Your credit is used up." },
    ...refusalsWithChoices,
    { code: "InvalidParameter", Message: "Your credit is used up." },
    { Code: "Arrearage", Message: "Your credit is used up." },
    { error_code: 17, reason: "Your credit is used up." },
    { status_code: 1008, status_msg: "Your credit is used up." },
    "Your credit is used up.",
  ];
  const classes = [
    [{ code: 429, msg: "Slow down.", success: false }, "rate_limited"],
    [{ code: 1302, msg: "Rate limit reached for requests", success: false }, "rate_limited"],
    [{ code: "Throttling.RateQuota", message: "Slow down." }, "rate_limited"],
    [{ error_code: 18, error_msg: "Open api qps request limit reached" }, "rate_limited"],
    [{ code: 401, msg: "Who are you?", success: false }, "auth"],
    [{ error_code: 6, error_msg: "Invalid API key" }, "auth"],
    [{ code: 503, msg: "Busy.", success: false }, "network"],
    [{ status: 503, detail: "Busy." }, "network"],
    [{ code: 1261, msg: "Prompt exceeds max length", success: false }, "overflow"],
    ["Too many requests, try again later", "rate_limited"],
    ["upstream connect error or disconnect/reset before headers", "network"],
    ["<html><body><h1>502 Bad Gateway</h1></body></html>", "network"],
    [{ code: 1113, msg: "Your credit is used up.", success: false }, "api"],
  ] as const;

  it.for(providers)("An error of %s with status 200 and without a stream keeps its message", async (provider) => {
    for (const refusal of refusals) {
      const { end } = await answerTo(provider, typeof refusal === "string" ? refusal : JSON.stringify(refusal));
      expect(end).toMatchObject({ type: "error", failure: { retryable: false } });
      if (end.type === "error") expect(end.failure.message).toContain("Your credit is used up.");
    }
  });

  it.for(providers)(
    "An error of %s with status 200 and without a stream has the class that its code or its text names",
    async (provider) => {
      for (const [refusal, kind] of classes) {
        const sent = typeof refusal === "string" ? refusal : JSON.stringify(refusal);
        for (const pieces of ["whole", "bytes"] as const) {
          const { end } = await answerTo(provider, sent, pieces);
          const found = end.type === "error" ? end.failure.kind : end.type;
          expect([sent, found]).toEqual([sent, kind]);
        }
      }
    },
  );

  const ofText = providers.filter((provider) => provider !== "bedrock");
  it.for(ofText)("A text before the first event of %s does not hide the answer", async (provider) => {
    const stream = new TextDecoder().decode(await bytesOf(provider, "text"));
    const { text } = await answerTo(provider, `connected to the gateway\n${stream}`);
    expect(text).toBe("Hello there, how can I help?");
  });

  it.for(providers)("An HTML page in place of an answer of %s is reported with its text", async (provider) => {
    const page =
      "\n<!doctype html><html><head><style>p{}</style><title>Gateway</title></head><body><p>Sign in first</p></body>";
    const { end } = await answerTo(provider, page);
    if (end.type !== "error") throw new Error("it was read");
    expect(end.failure.message).toContain(
      "The server answered with a page in place of a stream: Gateway Sign in first",
    );
  });

  it.for([
    ["anthropic", { type: "message", role: "assistant", content: [{ type: "text", text: "Hello" }] }],
    ["openai-responses", { object: "response", status: "completed", output: [] }],
  ] as const)(
    "A complete answer of %s in place of a stream is an error that is not retried",
    async ([provider, whole]) => {
      const { end } = await answerTo(provider, JSON.stringify(whole));
      expect(end).toMatchObject({
        type: "error",
        failure: { retryable: false, message: "The server answered with one document in place of a stream." },
      });
    },
  );

  it("A complete answer of Google in place of a stream, as one object or a list, is used as the answer", async () => {
    const whole = {
      candidates: [{ content: { role: "model", parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 8, totalTokenCount: 20 },
    };
    for (const body of [whole, [whole]]) {
      expect(await answerTo("google", JSON.stringify(body))).toMatchObject({
        text: "Hello",
        end: { stop_reason: "stop" },
      });
    }
  });
});

describe("Anthropic", () => {
  const event = (value: { type: string } & Delta): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    usage: { input_tokens: 12, output_tokens: 1 },
  };
  const text = (index: number, words: string): string =>
    event({ type: "content_block_start", index, content_block: { type: "text", text: "" } }) +
    event({ type: "content_block_delta", index, delta: { type: "text_delta", text: words } }) +
    event({ type: "content_block_stop", index });
  const end =
    event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 8 } }) +
    event({ type: "message_stop" });

  it("A block of an unknown kind is ignored with all its deltas, and so are unknown kinds of deltas", async () => {
    const unknown =
      event({ type: "content_block_start", index: 1, content_block: { type: "hologram", angle: 3 } }) +
      event({ type: "content_block_delta", index: 1, delta: { type: "hologram_delta", angle: 4 } }) +
      event({ type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "not for people" } }) +
      event({ type: "content_block_delta", index: 1, delta: { type: "thinking_delta", thinking: "nor this" } }) +
      event({ type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "{}" } }) +
      event({ type: "content_block_stop", index: 1 });
    const stream = event({ type: "message_start", message }) + text(0, "Hello ") + unknown + text(2, "there.") + end;
    const answer = await answerTo("anthropic", stream, "bytes");
    expect(answer).toMatchObject({ text: "Hello there.", thinking: "", calls: [], end: { stop_reason: "stop" } });
    expect(emitted(answer.parts).filter((part) => part.type.endsWith("_start"))).toHaveLength(2);
  });

  it("A block of a known kind with an invalid shape is an error", async () => {
    const broken = event({ type: "content_block_start", index: 0, content_block: { type: "text", text: 7 } });
    const { end: last } = await answerTo("anthropic", event({ type: "message_start", message }) + broken + end);
    expect(last).toMatchObject({ type: "error" });
  });
});

describe("chunks without a choice", () => {
  it.for(["openai", "openrouter"] as const)("A refusal of %s in a stream keeps its message", async (provider) => {
    for (const refusal of refusalsWithChoices) {
      const { end } = await answerTo(provider, lines(refusal));
      expect(end).toMatchObject({ type: "error" });
      if (end.type === "error") expect(end.failure.message).toContain("Your credit is used up.");
    }
  });

  it.for(["openai", "openrouter"] as const)("The report of a success by %s is no error", async (provider) => {
    const good = [
      { base_resp: { status_code: 0, status_msg: "success" } },
      { code: 0, msg: "success", success: true },
      { code: 200, message: "OK" },
      {},
    ];
    for (const more of good) {
      for (const choices of [[], null]) {
        const counts = { choices, usage, ...more };
        const { text, end } = await answerTo(provider, lines(chunk({ content: "Four." }), counts, chunk({}, "stop")));
        expect([text, end.type]).toEqual(["Four.", "finish"]);
      }
    }
  });
});
