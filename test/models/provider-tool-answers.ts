// Answers with tools that the provider executed, as the documentation of each API shows them, and functions that send and store them.

import type { PlainEvent } from "#contract/event.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { Answer } from "#core/model/answer.ts";
import type { ModelMessage, ModelPart, ModelRequest } from "#core/ports/model-port.ts";
import { RowEvents } from "#core/step/row-events.ts";
import type { AnyModelDefinition, ModelProviderTool } from "#spec/index.ts";

import { collect, message, model, request, serverEnv, serverPort, user } from "./ask-model.ts";

/** Events of a stream, as bytes. */
const sse = (...events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

type Event = { type: string } & Record<string, unknown>;

/** An answer of the Messages API with these blocks. `pieces` of a block are its deltas. */
export function claudeAnswer(blocks: readonly object[], stop = "end_turn"): string {
  const start: Event = {
    type: "message_start",
    message: {
      id: "msg_1",
      role: "assistant",
      model: "claude",
      content: [],
      usage: { input_tokens: 9, output_tokens: 1 },
    },
  };
  const content = blocks.flatMap((block, index): Event[] => {
    const { text, input, ...rest } = block as { text?: string; input?: object };
    const delta =
      text !== undefined
        ? { type: "text_delta", text }
        : input === undefined
          ? undefined
          : { type: "input_json_delta", partial_json: JSON.stringify(input) };
    const empty = {
      ...rest,
      ...(text === undefined ? {} : { text: "" }),
      ...(input === undefined ? {} : { input: {} }),
    };
    return [
      { type: "content_block_start", index, content_block: empty },
      ...(delta === undefined ? [] : [{ type: "content_block_delta", index, delta }]),
      { type: "content_block_stop", index },
    ];
  });
  return sse(
    start,
    ...content,
    { type: "message_delta", delta: { stop_reason: stop }, usage: { output_tokens: 5 } },
    {
      type: "message_stop",
    },
  );
}

/** An answer of the Responses API with these items. */
export function responsesAnswer(items: readonly ({ type: string; id: string } & Record<string, unknown>)[]): string {
  const events = items.flatMap((item, output_index): Event[] => {
    const { type, id } = item;
    const begun =
      type === "message"
        ? { ...item, content: [], status: "in_progress" }
        : { type, id, status: "in_progress", summary: [] };
    return [
      { type: "response.output_item.added", output_index, item: begun },
      { type: "response.output_item.done", output_index, item },
    ];
  });
  const response = {
    id: "resp_1",
    created_at: 1,
    model: "gpt",
    output: items,
    usage: { input_tokens: 9, output_tokens: 5, total_tokens: 14 },
  };
  return sse({ type: "response.created", response: { id: "resp_1", created_at: 1, model: "gpt" } }, ...events, {
    type: "response.completed",
    response,
  });
}

/** A message item of the Responses API. */
export const outputText = (text: string) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text, annotations: [] }],
});

/** An answer of the Gemini API, one chunk for each list of parts. */
export function geminiAnswer(chunks: readonly (readonly object[])[], more: object = {}): string {
  const last = chunks.length - 1;
  return sse(
    ...chunks.map((parts, at) => ({
      candidates: [{ content: { role: "model", parts }, ...(at === last ? { finishReason: "STOP", ...more } : {}) }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 },
    })),
  );
}

interface ConverseBlock {
  toolUse?: Record<string, unknown>;
  toolResult?: Record<string, unknown> & { content?: object[] };
  citation?: object;
}

/** The events of a block of ConverseStream. A string is a text, and a block `citation` has only a delta. */
function converseEvents(block: string | ConverseBlock, contentBlockIndex: number): object[] {
  const of = (name: "Delta" | "Start", value: object) => ({
    [`contentBlock${name}`]: { contentBlockIndex, [name.toLowerCase()]: value },
  });
  const stop = { contentBlockStop: { contentBlockIndex } };
  if (typeof block === "string") return [of("Delta", { text: block }), stop];
  const { toolUse, toolResult, citation } = block;
  if (citation !== undefined) return [of("Delta", { citation }), stop];
  if (toolResult !== undefined) {
    const { content = [], ...start } = toolResult;
    return [of("Start", { toolResult: start }), of("Delta", { toolResult: content }), stop];
  }
  const { input, ...start } = toolUse ?? {};
  const written = JSON.stringify(input);
  const pieces = [written.slice(0, 5), written.slice(5)].map((piece) => of("Delta", { toolUse: { input: piece } }));
  return [of("Start", { toolUse: start }), ...pieces, stop];
}

/** An answer of ConverseStream with these blocks, as text: the transport turns its frames into such events. */
export function converseAnswer(blocks: readonly (string | ConverseBlock)[], stopReason = "end_turn"): string {
  const usage = { inputTokens: 9, outputTokens: 5, totalTokens: 14 };
  return sse(
    { messageStart: { role: "assistant" } },
    ...blocks.flatMap(converseEvents),
    { messageStop: { stopReason } },
    { metadata: { usage } },
  );
}

/** A request that was sent. */
export interface Sent {
  body: JsonObject;
  headers: Headers;
}

export type ToolProvider =
  | "anthropic"
  | "openai-responses"
  | "azure"
  | "google"
  | "vertex"
  | "vertex-claude"
  | "bedrock";

const ids: Readonly<Record<ToolProvider, string>> = {
  anthropic: "claude-opus-4-7",
  "openai-responses": "gpt-5.4",
  azure: "gpt-5.4",
  google: "gemini-3-pro",
  vertex: "gemini-3-pro",
  "vertex-claude": "claude-opus-4-7",
  bedrock: "us.amazon.nova-2-lite-v1:0",
};

/** The model of a provider with these tools. */
export const withTools = (provider: ToolProvider, ...providerTools: ModelProviderTool[]): AnyModelDefinition =>
  model(provider, ids[provider], { providerTools });

/** Asks a model whose server answers with these bytes, one text for each request. Returns the parts of the answer and the request. */
export async function askWith(
  definition: AnyModelDefinition,
  answer: string | readonly string[],
  more: Partial<ModelRequest> = {},
): Promise<{ parts: ModelPart[]; sent: Sent; later: Sent[] }> {
  const sent: Sent[] = [];
  const port = serverPort({
    env: serverEnv("https://provider.example"),
    fetch: (_input, init) => {
      const body = JSON.parse(typeof init?.body === "string" ? init.body : "{}") as Sent["body"];
      sent.push({ body, headers: new Headers(init?.headers) });
      const text = typeof answer === "string" ? answer : answer[sent.length - 1];
      return Promise.resolve(new Response(text, { headers: { "content-type": "text/event-stream" } }));
    },
  });
  const parts = await collect(port.stream(request(definition, more), new AbortController().signal));
  const [first, ...later] = sent;
  if (first === undefined) throw new Error(`no request was sent: ${JSON.stringify(parts.at(-1))}`);
  return { parts, sent: first, later };
}

/** The answer as a thread stores it, and the events of its blocks. `isCut`: the answer was interrupted after these parts. */
export function storedAnswer(parts: readonly ModelPart[], isCut = false) {
  const events: PlainEvent[] = [];
  const sink = {
    number: (draft: object) => ({ seq: events.length + 1, thread_id: "t", at: 0, ...draft }) as PlainEvent,
    send: (event: PlainEvent) => void events.push(event),
  };
  const answer = new Answer("m1", new RowEvents(sink as never, {}), {
    hideThinking: false,
    role: "assistant",
    parentId: null,
    silent: false,
  });
  for (const part of parts) answer.add(part);
  return { answer, events, parts: isCut ? answer.partialParts() : answer.closeParts() };
}

/** A transcript with an answer, and a next message of the user. */
export function transcript(...answers: ModelMessage["parts"][]): ModelMessage[] {
  return [user("First?"), ...answers.flatMap((parts) => [message("assistant", { parts }), user("And then?")])];
}

/** The value at a path in a request; undefined if there is none. */
export function at(value: Json | undefined, ...path: (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>((inner, key) => {
    if (Array.isArray(inner)) return inner[Number(key)];
    return typeof inner === "object" && inner !== null ? inner[key] : undefined;
  }, value);
}

/** The types of the blocks of a list. */
export const typesOf = (blocks: Json | undefined): (Json | undefined)[] =>
  (Array.isArray(blocks) ? blocks : []).map((block) => at(block, "type"));
