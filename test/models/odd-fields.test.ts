// Fields of another type than the protocol has, in answers of each wire. The package of a wire refuses a whole chunk for one field, also for a
// field that nothing reads, and a complete answer would be lost or paid again.

import { describe, expect, it } from "vitest";

import { answerTo } from "./answer-to.ts";
import { providers } from "./ask-model.ts";
import type { Provider } from "./ask-model.ts";

type Fields = Record<string, unknown>;

const lines = (...events: unknown[]): string =>
  events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`).join("");

const choice = (delta: unknown, finish_reason: unknown = null, more: Fields = {}): Fields => ({
  id: "c1",
  object: "chat.completion.chunk",
  created: 1,
  model: "any",
  choices: [{ index: 0, delta, finish_reason, ...more }],
});
const chat = (odd: Fields): string => lines(odd, choice({}, "stop"), "[DONE]");
const counted = (usage: Fields): string => lines(choice({ content: "Hi" }), { ...choice({}, "stop"), usage }, "[DONE]");

const chats: Record<string, string> = {
  "an id and a date of other types": chat({ ...choice({ content: "Hi" }), id: 5, created: "now", model: null }),
  "an id that is null": chat({ ...choice({ content: "Hi" }), id: null }),
  "token counts as texts": counted({ prompt_tokens: "12", completion_tokens: "8", total_tokens: "20" }),
  "odd details of token counts": counted({
    prompt_tokens: 12,
    completion_tokens: 8,
    prompt_tokens_details: { cached_tokens: "?" },
    completion_tokens_details: { reasoning_tokens: null },
  }),
  "probabilities of another shape": chat(choice({ content: "Hi" }, null, { logprobs: { content: [{ token: 5 }] } })),
  "a number as a finish reason": lines(choice({ content: "Hi" }), choice({}, 1), "[DONE]"),
  "a citation without a page": chat(choice({ content: "Hi", annotations: [{ type: "url_citation" }, null] })),
  "thinking that is no text": chat(choice({ content: "Hi", reasoning_content: { text: "hm" }, reasoning: false })),
  "events without empty lines between them": chat(choice({ content: "Hi" })).replaceAll("\n\n", "\n"),
};

const start = (message: unknown): Fields => ({ type: "message_start", message });
const usual = { id: "m", model: "c", role: "assistant", content: [], usage: { input_tokens: 5, output_tokens: 1 } };
const begin = (content_block: unknown, index: unknown = 0): Fields => ({
  type: "content_block_start",
  index,
  content_block,
});
const piece = (delta: unknown, index: unknown = 0): Fields => ({ type: "content_block_delta", index, delta });
const stop = (index: unknown = 0): Fields => ({ type: "content_block_stop", index });
const says = [begin({ type: "text", text: "" }), piece({ type: "text_delta", text: "Hi" }), stop()];
const last = (more: Fields = {}): Fields[] => [
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 8 }, ...more },
  { type: "message_stop" },
];
const messages: Record<string, string> = {
  "no token counts at its start": lines(start({ ...usual, usage: null }), ...says, ...last()),
  "no message at its start": lines(start(null), ...says, ...last()),
  "no token counts at its end": lines(start(usual), ...says, ...last({ usage: null })),
  "token counts as texts": lines(start(usual), ...says, ...last({ usage: { output_tokens: "8" } })),
  "edits of its context of an unknown kind": lines(
    start(usual),
    ...says,
    ...last({ context_management: { applied_edits: [{ type: "new" }] } }),
  ),
  "a container without an id": lines(start({ ...usual, container: { id: 5 } }), ...says, ...last()),
  "text in the event that begins its block": lines(
    start(usual),
    begin({ type: "text", text: "Hi" }),
    stop(),
    ...last(),
  ),
  "a block without a text at its beginning": lines(start(usual), begin({ type: "text" }), ...says.slice(1), ...last()),
  "blocks without numbers": lines(start(usual), ...says.map((event) => ({ ...event, index: undefined })), ...last()),
  "numbers of blocks as texts": lines(start(usual), ...says.map((event) => ({ ...event, index: "0" })), ...last()),
  "no end of its block, and a last event in several lines":
    lines(start(usual), ...says.slice(0, 2), last()[0]) +
    `data: ${JSON.stringify(last()[1], null, 1).replaceAll("\n", "\ndata: ")}\n\n`,
  "a piece that is null": lines(
    start(usual),
    says[0],
    piece({ type: "text_delta", text: null }),
    ...says.slice(1),
    ...last(),
  ),
};

const candidate = (more: Fields, root: Fields = {}): string =>
  lines({
    candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP", ...more }],
    ...root,
  });
const gemini: Record<string, string> = {
  "token counts as texts": candidate({}, { usageMetadata: { promptTokenCount: "12" } }),
  "odd details of token counts": candidate(
    {},
    { usageMetadata: { promptTokensDetails: [{ modality: null }], trafficType: 5 } },
  ),
  "sources without an address": candidate({
    groundingMetadata: { groundingChunks: [{ web: { uri: null } }, null, { other: {} }], retrievalMetadata: 5 },
  }),
  "safety ratings of another shape": candidate({ safetyRatings: [{ category: 5, blocked: "no" }, null] }),
  "addresses without a status": candidate({ urlContextMetadata: { urlMetadata: [{ retrievedUrl: 5 }, {}] } }),
  "executed code that is null": candidate({
    content: { parts: [{ executableCode: { language: "PYTHON", code: null } }, { text: "Hi" }] },
  }),
  "a number as a finish reason": candidate({ finishReason: 1 }),
};

const wires: [Provider, Record<string, string>][] = [
  ["openai", chats],
  ["openrouter", chats],
  ["anthropic", messages],
  ["google", gemini],
];

it.for(
  wires.flatMap(([provider, cases]) => Object.entries(cases).map(([name, sent]) => [provider, name, sent] as const)),
)("ANSWER5 An answer of %s with %s is complete", async ([provider, , sent]) => {
  for (const pieces of ["whole", "bytes"] as const) {
    const { text, end } = await answerTo(provider, sent, pieces);
    expect([text, end]).toMatchObject(["Hi", { type: "finish", stop_reason: "stop" }]);
  }
});

describe("calls", () => {
  const called = { type: "tool_use", id: "toolu_1", name: "get_time" };
  const input = piece({ type: "input_json_delta", partial_json: '{"at":"noon"}' });
  const ends = last({ delta: { stop_reason: "tool_use" } });

  it.for([
    ["without an end of its block", lines(start(usual), begin({ ...called, input: {} }), input, ...ends)],
    [
      "whose arguments are null at first",
      lines(start(usual), begin({ ...called, input: null }), input, stop(), ...ends),
    ],
    ["whose arguments are a text", lines(start(usual), begin({ ...called, input: '{"at":"noon"}' }), stop(), ...ends)],
    ["without an id", lines(start(usual), begin({ ...called, id: null, input: {} }), input, stop(), ...ends)],
    ["that is cut after its stop reason", lines(start(usual), begin({ ...called, input: {} }), input, ends[0])],
  ] as const)("ANSWER5 A call of Anthropic %s is complete", async ([, sent]) => {
    const { calls, end } = await answerTo("anthropic", sent);
    expect([calls, end]).toMatchObject([
      [{ name: "get_time", arguments: '{"at":"noon"}' }],
      { stop_reason: "tool_calls" },
    ]);
  });

  it.for(["openai", "openrouter"] as const)("ANSWER5 Calls of %s in other shapes are complete", async (provider) => {
    const id = "call_aaaabbbbcccc1111";
    const text = '{"at":"noon"}';
    const shapes: unknown[][] = [
      [choice({ function_call: { name: "get_time", arguments: text } }), choice({}, "function_call")],
      [choice({ tool_calls: [{ index: 0, id, name: "get_time", arguments: text }] }), choice({}, "tool_calls")],
      [
        choice({ tool_calls: [{ index: 0, id, type: "function", function: { name: "get_time", arguments: "" } }] }),
        choice({ tool_calls: [{ index: 0, id: "", type: "", function: { name: "", arguments: text } }] }),
        choice({}, "tool_calls"),
      ],
    ];
    for (const shape of shapes) {
      const { calls, end } = await answerTo(provider, lines(...shape, "[DONE]"));
      expect([calls, end]).toMatchObject([[{ name: "get_time", arguments: text }], { stop_reason: "tool_calls" }]);
    }
  });
});

describe("refusals and errors", () => {
  it("A refusal of OpenAI's models at OpenRouter is the text of a filtered answer", async () => {
    const sent = lines(choice({ refusal: "I can" }), choice({ refusal: "not." }), choice({}, "stop"), "[DONE]");
    expect(await answerTo("openrouter", sent)).toMatchObject({
      text: "I cannot.",
      end: { type: "finish", stop_reason: "content_filter" },
    });
  });

  it.for(providers)(
    "A refusal of %s with status 200 keeps its message, however deep it is nested",
    async (provider) => {
      const refusals = [
        { Response: { Error: { Code: "AuthFailure", Message: "It is refused." } } },
        { header: { code: 10013, message: "It is refused.", sid: "x" } },
        { fault: { faultstring: "It is refused.", detail: { errorcode: "x" } } },
        { success: false, data: { message: "It is refused." } },
        { err: { msg: "It is refused." } },
        { status: "error", reason: "It is refused." },
        [{ error: { code: 400, message: "It is refused.", status: "INVALID_ARGUMENT" } }],
        "It is refused.",
      ];
      for (const refusal of refusals) {
        const { end } = await answerTo(provider, JSON.stringify(refusal));
        expect([refusal, end]).toMatchObject([refusal, { type: "error", failure: { message: "It is refused." } }]);
      }
    },
  );

  it.for([
    ["openai", choice({ content: "Hi" }), [{ error: { code: 503, message: "It broke." } }]],
    ["openai", choice({ content: "Hi" }), choice({}, "error", { error: { code: 502, message: "It broke." } })],
    ["openrouter", choice({ content: "Hi" }), choice({}, "error", { error: { code: 502, message: "It broke." } })],
    [
      "google",
      { candidates: [{ content: { parts: [{ text: "Hi" }] } }] },
      [{ error: { code: 503, message: "It broke." } }],
    ],
    ["anthropic", start(usual), { error: { code: 503, message: "It broke." } }],
    ["anthropic", start(usual), { type: "error", error: "It broke." }],
    ["anthropic", start(usual), [{ error: { message: "It broke." } }]],
  ] as [Provider, Fields, unknown][])(
    "An error in the middle of an answer of %s keeps its message (case %#)",
    async ([provider, first, error]) => {
      const { end } = await answerTo(provider, lines(first, error));
      expect(end).toMatchObject({ type: "error", failure: { message: "It broke.", retryable: true } });
    },
  );
});
