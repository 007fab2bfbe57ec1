// The AI SDK's stream of parts as ours. Invariants: exactly one `finish` or `error`, and nothing after it; what the
// provider sent is told as `raw`, secrets cut out; a stream that ends without saying why is an error (decision 22).

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";

import type { StopReason } from "#contract/message.ts";
import type { ModelPart, ModelRequest } from "#core/ports/model-port.ts";
import { toBase64 } from "#lib/base64.ts";

import { AnswerBlocks } from "./answer-blocks.ts";
import { AnswerSources } from "./answer-sources.ts";
import { createUniqueIds } from "./call-ids.ts";
import { convertUsage } from "./convert-usage.ts";
import { cutFailure, endOfAnswer } from "./end-of-answer.ts";
import { withoutThinkingWords } from "./hidden-thinking.ts";
import type { Exchange } from "./observed-fetch.ts";
import type { NetworkProvider, ProviderSettings } from "./provider-settings.ts";
import type { ChunkReader } from "./raw-chunk.ts";
import type { RawText } from "./raw-text.ts";
import { inPlainWords, isCut, unknownPiece } from "./reported-error.ts";

/** A provider's error in the middle of its stream, thrown to be classified with every other failure. */
export class StreamedError extends Error {
  readonly reported: unknown;

  constructor(reported: unknown) {
    super("The provider reported an error in its stream.");
    this.reported = reported;
  }
}

/** What is known of a call besides its stream. */
export interface StreamContext {
  request: ModelRequest;
  settings: ProviderSettings;
  /** What the log is told of the chunks. */
  raw: RawText;
  /** Reads every chunk; the caller keeps it for what is known when the stream breaks. */
  chunks: ChunkReader;
  /** The HTTP exchange that the stream comes from. */
  exchange: Exchange;
}

// Their packages close every call when the stream ends, however it ended.
const closesCallsAtEnd: Record<NetworkProvider, boolean> = {
  openai: true,
  "openai-responses": false,
  "openai-compatible": true,
  anthropic: false,
  google: false,
  openrouter: true,
};

function reportedCost(part: Extract<LanguageModelV3StreamPart, { type: "finish" }>): number | null {
  const usage = part.providerMetadata?.["openrouter"]?.["usage"];
  if (typeof usage !== "object" || usage === null || Array.isArray(usage)) return null;
  const cost = usage["cost"];
  return typeof cost === "number" && cost >= 0 ? cost : null;
}

/**
 * Converts a stream. Ends with exactly one `finish` or `error` part, or throws: a StreamedError for what the provider
 * reported, anything else for a broken connection. Leaving early is allowed; the caller cancels the request.
 */
export async function* convertStream(
  stream: AsyncIterable<LanguageModelV3StreamPart>,
  context: StreamContext,
): AsyncGenerator<ModelPart> {
  const waiting = (): ModelPart[] => context.raw.rest().map((chunk) => ({ type: "raw", chunk }));
  const hides = context.request.reasoning?.exclude === true;
  const told = (part: ModelPart): ModelPart => (hides && "provider_data" in part ? withoutThinkingWords(part) : part);
  const conversion = new Conversion(context);
  try {
    for await (const part of stream) {
      const parts = conversion.take(part);
      const over = parts.at(-1)?.type === "finish" || parts.at(-1)?.type === "error";
      // One by one: to delegate to a list takes an asynchronous generator several turns for each entry.
      if (over) for (const chunk of waiting()) yield chunk;
      for (const next of parts) yield told(next);
      if (over) return;
    }
  } catch (thrown) {
    for (const chunk of waiting()) yield chunk;
    throw thrown;
  }
  for (const chunk of waiting()) yield chunk;
  const usage = context.chunks.usage();
  yield usage === null ? cutFailure() : { ...cutFailure(), usage };
}

/** Whether an answer with this reason may end in the middle of a call. */
function isCutShort(reason: StopReason): boolean {
  return reason === "length" || reason === "content_filter";
}

/** Turns part for part; the last ones it gives end with `finish` or `error`. */
class Conversion {
  readonly #context: StreamContext;
  readonly #blocks: AnswerBlocks;
  readonly #hides: boolean;
  /** Calls the provider runs itself: not ours to run, and not ours to show. */
  readonly #foreign = new Set<string>();
  /** The provider sent content other than text, thinking and calls. */
  #hasOtherContent = false;
  /** Ids of blocks whose kind the package does not know. */
  readonly #unknown = new Set<string>();
  readonly #sources = new AnswerSources();
  #modelId: string | null = null;

  constructor(context: StreamContext) {
    const { request, settings, chunks } = context;
    const { provider } = settings;
    this.#context = context;
    this.#hides = request.reasoning?.exclude === true;
    this.#blocks = new AnswerBlocks({
      settings,
      model: request.model.model,
      uniqueId: createUniqueIds(request),
      closesCallsAtEnd: closesCallsAtEnd[provider],
      thinkingField: () => (provider === "openai-compatible" ? chunks.thinkingField() : null),
      writtenArguments: (id) => (provider === "openrouter" ? chunks.argumentsOf(id) : null),
    });
  }

  /** What a part comes to. Throws a StreamedError for what the provider reports. */
  take(part: LanguageModelV3StreamPart): ModelPart[] {
    const blocks = this.#blocks;
    if ("id" in part && part.id !== undefined && this.#unknown.has(part.id)) return [];
    switch (part.type) {
      case "text-start":
        return blocks.start("text", part);
      case "text-delta":
        return blocks.delta("text", part);
      case "text-end":
        return blocks.end("text", part);
      case "reasoning-start":
        return blocks.start("thinking", part);
      case "reasoning-delta":
        return blocks.delta("thinking", part);
      case "reasoning-end":
        return blocks.end("thinking", part);
      case "tool-input-start":
        if (part.providerExecuted !== true) return blocks.startCall(part.id, part.toolName);
        this.#foreign.add(part.id);
        return [];
      case "tool-input-delta":
        return this.#foreign.has(part.id) ? [] : blocks.callDelta(part.id, part.delta);
      case "tool-call":
        if (part.providerExecuted !== true) return blocks.closeCall(part);
        this.#hasOtherContent = true;
        return [];
      case "raw":
        this.#context.chunks.read(part.rawValue);
        this.#sources.read(part.rawValue);
        // Also while it waits: every part says that the provider is still there.
        return [this.#raw(this.#hides ? withoutThinkingWords(part.rawValue) : part.rawValue)];
      case "response-metadata":
        this.#modelId = part.modelId ?? this.#modelId;
        return [];
      case "error":
        return this.#error(part.error);
      case "finish":
        return this.#finish(part);
      case "stream-start":
        return part.warnings.length > 0 ? [this.#raw({ warnings: part.warnings })] : [];
      case "file":
        return this.#file(part);
      case "tool-result":
        this.#hasOtherContent = true;
        return [];
      case "source":
        this.#sources.add(part.sourceType === "url" ? part.url : null, part.title);
        return [];
      case "tool-input-end":
      case "tool-approval-request":
        return [];
    }
  }

  #file({ mediaType, data }: Extract<LanguageModelV3StreamPart, { type: "file" }>): ModelPart[] {
    this.#hasOtherContent = true;
    if (!/^image\/[\w.+-]+$/.test(mediaType)) return [];
    return this.#blocks.picture(mediaType, typeof data === "string" ? data : toBase64(data));
  }

  #error(error: unknown): ModelPart[] {
    const unknown = unknownPiece(error);
    if (unknown === null && !isCut(error)) throw new StreamedError(inPlainWords(error));
    if (unknown !== null && unknown.block !== null) this.#unknown.add(unknown.block);
    if (unknown !== null) return [];
    const usage = this.#context.chunks.usage();
    return [usage === null ? cutFailure() : { ...cutFailure(), usage }];
  }

  #raw(value: unknown): ModelPart {
    return { type: "raw", chunk: this.#context.raw.take(value).join("") };
  }

  #finish(part: Extract<LanguageModelV3StreamPart, { type: "finish" }>): ModelPart[] {
    const { request, chunks, exchange } = this.#context;
    const converted = convertUsage(part.usage);
    const told = {
      reason: part.finishReason,
      detail: chunks.stopDetail(),
      ended: exchange.ended,
      // The packages read token counts only from the field that their protocol documents; `chunks` also reads other fields.
      usage: converted.total_tokens > 0 ? converted : (chunks.usage() ?? converted),
      reported_cost: reportedCost(part),
      hasOtherContent: this.#hasOtherContent,
      sources: this.#sources.all(),
    };
    const model_id = this.#modelId ?? chunks.modelId();
    const before = endOfAnswer({ ...told, model_id, hasCalls: false }, request.model);
    // Only an answer that finished closes its calls; a cut one leaves them open.
    const closing = before.type === "finish" ? this.#blocks.finish(isCutShort(before.stop_reason)) : [];
    return [...closing, endOfAnswer({ ...told, model_id, hasCalls: this.#blocks.closedCalls > 0 }, request.model)];
  }
}
