// Answers in the events of each wire, from a description that is the same for all wires. The events have the fields that real servers send.

import type { AnyModelDefinition } from "#spec/index.ts";

import type { Provider } from "./ask-model.ts";

/** A block of an answer, in the pieces in which the model wrote it. `with`: another call whose pieces come in turn with those of this one. */
export type Block =
  | { kind: "text"; pieces: string[] }
  | { kind: "thinking"; pieces: string[] }
  | { kind: "call"; pieces: string[]; with?: string[] | undefined };

/** How a described answer ends: complete, with an error event, or without a finish reason. */
export type End = "finish" | "error" | "cut";

type Event = Record<string, unknown>;

/** A wire, and a model whose answers have it. */
export interface WireModel {
  name: string;
  provider: Provider;
  definition: Partial<AnyModelDefinition>;
  events: (blocks: readonly Block[], end: End) => Event[];
  /** The text after the last event. */
  mark: string;
  /** Whether the first line of an event names its type. */
  isNamed: boolean;
}

/** The pieces of one or two calls, in turn, each with the number of its call. */
function turns(pieces: readonly string[], others: readonly string[] = []): [number, string][] {
  const longest = Math.max(pieces.length, others.length);
  return Array.from({ length: longest }, (_, at) => [
    ...pieces.slice(at, at + 1).map((piece): [number, string] => [0, piece]),
    ...others.slice(at, at + 1).map((piece): [number, string] => [1, piece]),
  ]).flat();
}

const error = { message: "The model is overloaded.", type: "overloaded_error", code: 529 };

function chatEvents(thinking: (piece: string) => object, more: Event): WireModel["events"] {
  return (blocks, end) => {
    const chunk = (delta: object, finish_reason: string | null = null, usage: object | null = null): Event => ({
      id: "chat_1",
      object: "chat.completion.chunk",
      created: 1,
      model: "real-model",
      ...more,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      usage,
    });
    const call = (index: number, fields: object): Event => chunk({ tool_calls: [{ index, ...fields }] });
    let calls = 0;
    const events = blocks.flatMap((block): Event[] => {
      if (block.kind === "text") return block.pieces.map((content) => chunk({ content }));
      if (block.kind === "thinking") return block.pieces.map((piece) => chunk(thinking(piece)));
      const first = calls;
      const begun = block.with === undefined ? [first] : [first, first + 1];
      calls += begun.length;
      const named = { type: "function", function: { name: "get_weather", arguments: "" } };
      return [
        ...begun.map((index) => call(index, { id: `call_aaaabbbbcccc000${String(index)}`, ...named })),
        ...turns(block.pieces, block.with).map(([at, text]) => call(first + at, { function: { arguments: text } })),
      ];
    });
    const usage = { prompt_tokens: 12, completion_tokens: 8, total_tokens: 20 };
    const last =
      end === "error" ? [{ error }] : end === "cut" ? [] : [chunk({}, calls > 0 ? "tool_calls" : "stop", usage)];
    return [chunk({ role: "assistant", content: "" }), ...events, ...last];
  };
}

const anthropicEvents: WireModel["events"] = (blocks, end) => {
  const usage = { input_tokens: 12, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "real-model", content: [], usage };
  let index = -1;
  const deltas = (at: number, type: string, field: string, pieces: readonly string[]): Event[] =>
    pieces.map((piece) => ({ type: "content_block_delta", index: at, delta: { type, [field]: piece } }));
  const start = (at: number, content_block: object): Event => ({
    type: "content_block_start",
    index: at,
    content_block,
  });
  const stop = (at: number): Event => ({ type: "content_block_stop", index: at });
  const events = blocks.flatMap((block): Event[] => {
    index += 1;
    if (block.kind === "text") {
      return [
        start(index, { type: "text", text: "" }),
        ...deltas(index, "text_delta", "text", block.pieces),
        stop(index),
      ];
    }
    if (block.kind === "thinking") {
      const signature = { type: "content_block_delta", index, delta: { type: "signature_delta", signature: "signed" } };
      const thinking = deltas(index, "thinking_delta", "thinking", block.pieces);
      return [start(index, { type: "thinking", thinking: "", signature: "" }), ...thinking, signature, stop(index)];
    }
    const call = (at: number, pieces: readonly string[]): Event[] => [
      start(at, { type: "tool_use", id: `toolu_${String(at)}`, name: "get_weather", input: {} }),
      ...deltas(at, "input_json_delta", "partial_json", ["", ...pieces]),
      stop(at),
    ];
    const first = call(index, block.pieces);
    if (block.with === undefined) return first;
    index += 1;
    return [...first, ...call(index, block.with)];
  });
  const hasCalls = blocks.some(({ kind }) => kind === "call");
  const last: Event[] = [
    { type: "message_delta", delta: { stop_reason: hasCalls ? "tool_use" : "end_turn" }, usage: { output_tokens: 8 } },
    { type: "message_stop" },
  ];
  return [
    { type: "message_start", message },
    ...events,
    ...(end === "error" ? [{ type: "error", error }] : end === "cut" ? [] : last),
  ];
};

const googleEvents: WireModel["events"] = (blocks, end) => {
  // The counts grow with each chunk, and the last chunk has none.
  let count = 0;
  const counts = (): object => ({
    usageMetadata: {
      promptTokenCount: 12,
      candidatesTokenCount: (count += 1),
      totalTokenCount: 12 + count,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 12 }],
    },
  });
  const chunk = (parts: object[], more: object = counts()): Event => ({
    candidates: [{ content: { parts, role: "model" }, index: 0, ...("finishReason" in more ? more : {}) }],
    ...("usageMetadata" in more ? more : {}),
    modelVersion: "real-model",
    responseId: "response_1",
  });
  const call = (pieces: readonly string[]): Event =>
    chunk([{ functionCall: { name: "get_weather", args: JSON.parse(pieces.join("")) as object } }]);
  const events = blocks.flatMap((block): Event[] => {
    if (block.kind === "text") return block.pieces.map((text) => chunk([{ text }]));
    if (block.kind === "thinking") return block.pieces.map((text) => chunk([{ text, thought: true }]));
    return [call(block.pieces), ...(block.with === undefined ? [] : [call(block.with)])];
  });
  const failed = { error: { code: 503, message: error.message, status: "UNAVAILABLE" } };
  return [
    ...events,
    ...(end === "error" ? [failed] : end === "cut" ? [] : [chunk([{ text: "" }], { finishReason: "STOP" })]),
  ];
};

const converseEvents: WireModel["events"] = (blocks, end) => {
  let contentBlockIndex = -1;
  const delta = (index: number, fields: object): Event => ({
    contentBlockDelta: { contentBlockIndex: index, delta: fields, p: "abcdef".slice(index % 5) },
  });
  const stop = (index: number): Event => ({ contentBlockStop: { contentBlockIndex: index, p: "ab" } });
  const events = blocks.flatMap((block): Event[] => {
    const index = (contentBlockIndex += 1);
    if (block.kind === "text") return [...block.pieces.map((text) => delta(index, { text })), stop(index)];
    if (block.kind === "thinking") {
      const pieces = block.pieces.map((text) => delta(index, { reasoningContent: { text } }));
      return [...pieces, delta(index, { reasoningContent: { signature: "c2ln" } }), stop(index)];
    }
    const begun = block.with === undefined ? [index] : [index, (contentBlockIndex += 1)];
    const start = (at: number): Event => ({
      contentBlockStart: {
        contentBlockIndex: at,
        start: { toolUse: { toolUseId: `tooluse_${String(at)}`, name: "get_weather" } },
      },
    });
    return [
      ...begun.map(start),
      ...turns(block.pieces, block.with).map(([call, input]) => delta(index + call, { toolUse: { input } })),
      ...begun.map(stop),
    ];
  });
  const usage = { inputTokens: 12, outputTokens: 5, totalTokens: 17 };
  const ends: Record<End, Event[]> = {
    finish: [{ messageStop: { stopReason: "end_turn" } }, { metadata: { usage, metrics: { latencyMs: 5 } } }],
    error: [{ error: { type: "serviceUnavailableException", message: error.message } }],
    cut: [],
  };
  return [{ messageStart: { role: "assistant" } }, ...events, ...ends[end]];
};

const responsesEvents: WireModel["events"] = (blocks, end) => {
  let output_index = -1;
  const added = (item: object): Event => ({ type: "response.output_item.added", output_index, item });
  const done = (item: object): Event => ({ type: "response.output_item.done", output_index, item });
  const events = blocks.flatMap((block): Event[] => {
    output_index += 1;
    const item_id = `item_${String(output_index)}`;
    const at = { item_id, output_index };
    const text = block.pieces.join("");
    if (block.kind === "text") {
      const item = { id: item_id, type: "message", role: "assistant" };
      const delta = { type: "response.output_text.delta", ...at, content_index: 0, logprobs: [], obfuscation: "xyz" };
      return [
        added({ ...item, content: [] }),
        ...block.pieces.map((piece) => ({ ...delta, delta: piece })),
        { type: "response.output_text.done", ...at, content_index: 0, text },
        done({ ...item, content: [{ type: "output_text", text, annotations: [] }] }),
      ];
    }
    if (block.kind === "thinking") {
      const item = { id: item_id, type: "reasoning" };
      const delta = { type: "response.reasoning_summary_text.delta", ...at, summary_index: 0 };
      return [
        added({ ...item, summary: [] }),
        {
          type: "response.reasoning_summary_part.added",
          ...at,
          summary_index: 0,
          part: { type: "summary_text", text: "" },
        },
        ...block.pieces.map((piece) => ({ ...delta, delta: piece })),
        { type: "response.reasoning_summary_text.done", ...at, summary_index: 0, text },
        { type: "response.reasoning_summary_part.done", ...at, summary_index: 0, part: { type: "summary_text", text } },
        done({ ...item, summary: [{ type: "summary_text", text }], encrypted_content: "sealed" }),
      ];
    }
    const begun = [block.pieces, ...(block.with === undefined ? [] : [block.with])].map((pieces, call) => {
      output_index += call;
      const id = `item_${String(output_index)}`;
      const item = { id, type: "function_call", call_id: `call_aaaabbbbcccc${id}`, name: "get_weather" };
      return { item, pieces, output_index };
    });
    const delta = (call: number, piece: string): Event => ({
      type: "response.function_call_arguments.delta",
      item_id: begun[call]?.item.id,
      output_index: begun[call]?.output_index,
      delta: piece,
    });
    return [
      ...begun.map((call): Event => ({
        type: "response.output_item.added",
        output_index: call.output_index,
        item: { ...call.item, arguments: "", status: "in_progress" },
      })),
      ...turns(block.pieces, block.with).map(([call, piece]) => delta(call, piece)),
      ...begun.flatMap(({ item, pieces, output_index: number }): Event[] => {
        const whole = pieces.join("");
        const closed = { ...item, arguments: whole, status: "completed" };
        return [
          { type: "response.function_call_arguments.done", item_id: item.id, output_index: number, arguments: whole },
          { type: "response.output_item.done", output_index: number, item: closed },
        ];
      }),
    ];
  });
  const completed = {
    type: "response.completed",
    response: { output: [], usage: { input_tokens: 12, output_tokens: 8 } },
  };
  const failed = { type: "error", message: error.message, code: "server_error", param: null };
  return [
    { type: "response.created", response: { id: "resp_1", created_at: 1, model: "real-model" } },
    ...events,
    ...(end === "error" ? [failed] : end === "cut" ? [] : [completed]),
  ].map((event, at) => ({ sequence_number: at, ...event }));
};

const thinkingDetails = (text: string) => ({
  content: "",
  reasoning: text,
  reasoning_details: [{ type: "reasoning.text", text, format: "anthropic-claude-v1", index: 0 }],
});
const chat = { provider: "openai", mark: "data: [DONE]\n\n", isNamed: false } as const;

/** Every wire, with the models of each package that reads it. */
export const wireModels: readonly WireModel[] = [
  {
    ...chat,
    name: "OpenAI's Chat Completions",
    definition: { baseUrl: "https://api.openai.com/v1", api: "chat" },
    events: chatEvents((reasoning_content) => ({ reasoning_content }), { service_tier: "default", obfuscation: "xy" }),
  },
  {
    ...chat,
    name: "another server's Chat Completions",
    definition: {},
    events: chatEvents((reasoning_content) => ({ content: null, reasoning_content }), { system_fingerprint: null }),
  },
  {
    ...chat,
    name: "Chat Completions with another name of thinking",
    definition: {},
    events: chatEvents((reasoning) => ({ reasoning, channel: "analysis" }), { system_fingerprint: "fp" }),
  },
  {
    ...chat,
    name: "OpenRouter's Chat Completions",
    provider: "openrouter",
    definition: {},
    events: chatEvents(thinkingDetails, { provider: "Anthropic" }),
  },
  {
    name: "the Responses API",
    provider: "openai-responses",
    definition: {},
    events: responsesEvents,
    mark: "",
    isNamed: true,
  },
  { name: "the Messages API", provider: "anthropic", definition: {}, events: anthropicEvents, mark: "", isNamed: true },
  { name: "Converse", provider: "bedrock", definition: {}, events: converseEvents, mark: "", isNamed: false },
  { name: "Gemini's API", provider: "google", definition: {}, events: googleEvents, mark: "", isNamed: false },
];
