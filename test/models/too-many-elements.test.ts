// Answers with too many calls, parts or items: the packages of the providers handle all elements of an event in one piece, so an event above
// the bound ends the answer with an error before they read it.

import { describe, expect, it, vi } from "vitest";

import { ChunkReader } from "#models/chunk-reader.ts";
import { ResponsesRepair } from "#models/responses-repair.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { collect, model, readAnswer, request, serverEnv, serverPort } from "./ask-model.ts";
import { added, call, completed, created, done } from "./responses-events.ts";

const list = <T>(count: number, one: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => one(at));

/** The answer of a server that sends these events, or this document. */
async function answerOf(definition: AnyModelDefinition, events: readonly object[], document?: object) {
  const text =
    document === undefined
      ? events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")
      : JSON.stringify(document);
  const port = serverPort({
    env: serverEnv("https://provider.example"),
    fetch: () => Promise.resolve(new Response(text)),
  });
  return readAnswer(await collect(port.stream(request(definition), new AbortController().signal)));
}

const chat = model("openai", "gpt-4o", { api: "chat" } as never);
const router = model("openrouter", "openai/gpt-4o");
const responses = model("openai", "gpt-5", { api: "responses" } as never);
const google = model("google", "gemini-3-pro");

const chatCall = (index: number) => ({
  index,
  id: `call_${index}`,
  type: "function",
  function: { name: "get", arguments: "{}" },
});
const chatCalls = (count: number) => [
  { choices: [{ index: 0, delta: { tool_calls: list(count, chatCall) } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
];
const ended = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
const chatDocument = (count: number) => ({
  choices: [{ index: 0, message: { tool_calls: list(count, chatCall) }, finish_reason: "tool_calls" }],
});
/** The events of an answer of Chat Completions with a list in its delta. */
const chatDelta = (name: string, element: (at: number) => object) => (count: number) => [
  { choices: [{ index: 0, delta: { content: "a", [name]: list(count, element) } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
];
const googleParts = (count: number, part: (at: number) => object) => [
  { candidates: [{ content: { parts: list(count, part) }, finishReason: "STOP" }] },
];
const item = (at: number) => ({ ...call, id: `fc_${at}`, call_id: `call_${at}`, name: "get", arguments: "{}" });

describe("an event with too many elements", () => {
  it.each([
    ["calls of Chat Completions", chat, chatCalls, undefined],
    ["calls in a document of Chat Completions", chat, () => [], chatDocument],
    [
      "details of reasoning",
      router,
      chatDelta("reasoning_details", () => ({ type: "reasoning.text", text: "a" })),
      undefined,
    ],
    [
      "images",
      router,
      chatDelta("images", () => ({ type: "image_url", image_url: { url: "data:image/png;base64,QQ==" } })),
      undefined,
    ],
    [
      "annotations",
      chat,
      chatDelta("annotations", (at) => ({ type: "url_citation", url_citation: { url: `https://a.example/${at}` } })),
      undefined,
    ],
    [
      "citations",
      chat,
      (n: number) => [
        { citations: list(n, (at) => `https://a.example/${at}`), choices: [{ delta: { content: "a" } }] },
        ended,
      ],
      undefined,
    ],
    [
      "choices",
      chat,
      (n: number) => [{ choices: list(n, (index) => ({ index, delta: { content: "a" } })) }, ended],
      undefined,
    ],
    [
      "details of reasoning in a document",
      router,
      () => [],
      (n: number) => ({
        choices: [
          {
            message: { content: "a", reasoning_details: list(n, () => ({ type: "reasoning.text", text: "a" })) },
            finish_reason: "stop",
          },
        ],
      }),
    ],
    [
      "calls of Gemini",
      google,
      (n: number) => googleParts(n, () => ({ functionCall: { name: "get", args: {} } })),
      undefined,
    ],
    [
      "texts and thoughts of Gemini",
      google,
      (n: number) => googleParts(n, (at) => ({ text: "a", thought: at % 2 === 0 })),
      undefined,
    ],
  ])(
    "OUT25 An event with 1,001 %s ends the answer with an error that is not retried, and one with 1,000 is read",
    async (_name, definition, events, document) => {
      const { end } = await answerOf(definition, events(1001), document?.(1001));
      expect(end).toMatchObject({ type: "error", failure: { kind: "api", retryable: false } });
      expect(JSON.stringify(end)).toContain("1001. At most 1000 are read.");
      expect((await answerOf(definition, events(1000), document?.(1000))).end.type).toBe("finish");
    },
  );

  it("OUT25 The last event of the Responses API may begin 250 items without an event of their own, and a further one ends the answer with an error", async () => {
    const events = (count: number) => [created, completed(list(count, item))];
    expect((await answerOf(responses, events(250))).end).toMatchObject({ type: "finish", stop_reason: "tool_calls" });
    const { end } = await answerOf(responses, events(251));
    expect(end).toMatchObject({ type: "error", failure: { kind: "api", retryable: false } });
    expect(JSON.stringify(end)).toContain("items that began without an event: 251. At most 250 are read.");
  });

  it("OUT25 At most 500 items of the Responses API are open at the same time, and 1,500 items that end are read", async () => {
    const open = (count: number) => [created, ...list(count, (at) => added(at, item(at)))];
    const { end } = await answerOf(responses, open(501));
    expect(JSON.stringify(end)).toContain("too many open items: 501. At most 500 are read.");
    const one = (at: number) => [added(at, item(at)), done(at, item(at))];
    const { end: other } = await answerOf(responses, [created, ...list(1500, one).flat(), completed()]);
    expect(other).toMatchObject({ type: "finish", stop_reason: "tool_calls" });
  });

  it("OUT25 An item of the Responses API has at most 2,001 parts", async () => {
    const part = (summary_index: number) => ({
      type: "response.reasoning_summary_part.added",
      output_index: 0,
      item_id: "rs_1",
      summary_index,
    });
    const { end } = await answerOf(responses, [
      created,
      added(0, { type: "reasoning", id: "rs_1" }),
      ...list(2002, part),
    ]);
    expect(JSON.stringify(end)).toContain("an item with too many parts: 2002. At most 2001 are read.");
  });

  it("OUT25 An event of the Responses API is compared with at most 500 items, however many items an answer has", () => {
    const repair = new ResponsesRepair();
    for (let at = 0; at < 500; at += 1) repair.take(JSON.stringify(added(at, item(at))));
    expect(() => repair.take(JSON.stringify(added(500, item(500))))).toThrow("too many open items");
  });
});

describe("a paused turn", () => {
  it("OUT25 The events of a turn that cannot be continued are read again for its first pause only", async () => {
    const pause = { type: "message_delta", delta: { stop_reason: "pause_turn" }, usage: { output_tokens: 1 } };
    const events = [
      { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 1 } } },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "tool_use", id: "toolu_1", name: "get", input: {} },
      },
      { type: "content_block_stop", index: 0 },
    ];
    const parse = JSON.parse;
    let parsed = 0;
    JSON.parse = (...given: Parameters<typeof parse>) => {
      parsed += 1;
      return parse(...given) as unknown;
    };
    try {
      await answerOf(model("anthropic", "claude-opus-4-7"), [
        ...events,
        ...list(300, () => pause),
        { type: "message_stop" },
      ]);
    } finally {
      JSON.parse = parse;
    }
    // Each event is parsed a fixed number of times. 300 pauses that read all events again would be 45,000 more.
    expect(parsed).toBeLessThan(5000);
  });
});

describe("the calls in the chunks of an answer", () => {
  it("The arguments of a call are found by its id, unless several calls have it", () => {
    const chunks = new ChunkReader();
    const piece = (index: number, id: string | undefined, text: string) => ({
      index,
      id,
      function: { arguments: text },
    });
    chunks.read({ calls: [piece(0, "a", "1"), piece(1, "b", "2"), piece(0, undefined, "3"), piece(2, "b", "4")] });
    expect(["a", "b", "c"].map((id) => chunks.argumentsOf(id))).toEqual(["13", null, null]);
  });
});

describe("the sources of an answer", () => {
  it("OUT25 Addresses after the hundredth source are not parsed", () => {
    const chunks = new ChunkReader();
    const canParse = URL.canParse.bind(URL);
    let parsed = 0;
    const counted = vi.spyOn(URL, "canParse").mockImplementation((...given) => {
      parsed += 1;
      return canParse(...given);
    });
    try {
      chunks.read({ sources: list(1000, (at) => ({ url: `https://a.example/${at}` })) });
      chunks.read({ sources: [{ url: "https://a.example/7", title: "Seven" }] });
    } finally {
      counted.mockRestore();
    }
    expect(parsed).toBe(100);
    expect(chunks.sources.all()).toHaveLength(100);
    expect(chunks.sources.all()[7]).toEqual({ url: "https://a.example/7", title: "Seven" });
  });
});
