// Converts the AI SDK's stream of parts to parts of the model port. Invariants: exactly one `finish` or `error`, and nothing
// after it; chunks are passed on as `raw` without secrets; a stream that ends without a reason is an error (decision 22: retries).

import type { LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";

import type { JsonObject } from "#contract/json.ts";
import type { StopReason } from "#contract/thread-message.ts";
import type { Usage } from "#contract/usage.ts";
import type { ModelPart, ModelRequest } from "#core/ports/model-port.ts";
import { toBase64 } from "#lib/base64.ts";

import { AnswerBlocks } from "./answer-blocks.ts";
import { createUniqueIds } from "./call-ids.ts";
import type { ChunkReader } from "./chunk-reader.ts";
import { cutFailure, endOfAnswer } from "./end-of-answer.ts";
import { withoutThinkingText } from "./hidden-thinking.ts";
import type { Exchange } from "./observed-fetch.ts";
import type { ProviderSettings } from "./provider/provider-profile.ts";
import type { RawText } from "./raw-text.ts";
import { isCut, unknownPiece, withReadableMessage } from "./reported-error.ts";

/** A provider's error in the middle of its stream, thrown to be classified with every other failure. */
export class StreamedError extends Error {
  readonly reported: unknown;

  constructor(reported: unknown) {
    super("The provider reported an error in its stream.");
    this.reported = reported;
  }
}

/** The call that a stream belongs to. */
export interface StreamContext {
  request: ModelRequest;
  settings: ProviderSettings;
  /** Converts chunks to texts for the log. */
  raw: RawText;
  /** Reads every chunk. The caller keeps it for the token counts of a stream that breaks. */
  chunks: ChunkReader;
  /** The HTTP exchange that the stream comes from. */
  exchange: Exchange;
}

/**
 * Converts a stream. Ends with exactly one `finish` or `error` part, or throws: a StreamedError for what the provider
 * reported, anything else for a broken connection. A reader may leave early; the caller cancels the request.
 */
export async function* convertStream(
  stream: AsyncIterable<LanguageModelV3StreamPart>,
  context: StreamContext,
): AsyncGenerator<ModelPart> {
  const waiting = (): ModelPart[] => context.raw.end().map((chunk) => ({ type: "raw", chunk }));
  const hides = context.request.reasoning?.exclude === true;
  const shown = (part: ModelPart): ModelPart => (hides && "provider_data" in part ? withoutThinkingText(part) : part);
  const conversion = new Conversion(context);
  try {
    for await (const part of stream) {
      const parts = conversion.take(part);
      const over = parts.at(-1)?.type === "finish" || parts.at(-1)?.type === "error";
      // One by one, because `yield*` over a list takes several turns for each entry.
      if (over) for (const chunk of waiting()) yield chunk;
      for (const next of parts) yield shown(next);
      if (over) return;
    }
  } catch (thrown) {
    for (const chunk of waiting()) yield chunk;
    throw thrown;
  }
  for (const chunk of waiting()) yield chunk;
  const { usage } = context.chunks;
  yield usage === null ? cutFailure() : { ...cutFailure(), usage };
}

/** Whether an answer with this reason may end in the middle of a call. */
function isCutShort(reason: StopReason): boolean {
  return reason === "length" || reason === "content_filter";
}

/** Converts part by part. The last list of parts ends with `finish` or `error`. */
class Conversion {
  readonly #context: StreamContext;
  readonly #blocks: AnswerBlocks;
  readonly #hides: boolean;
  /** Calls that the provider runs itself. They are neither run nor shown. */
  readonly #foreign = new Set<string>();
  /** The provider sent content other than text, thinking and calls. */
  #hasOtherContent = false;
  /** Ids of blocks of a kind that the package does not know. */
  readonly #unknown = new Set<string>();
  #modelId: string | null = null;

  constructor(context: StreamContext) {
    const { request, settings, chunks } = context;
    const { profile } = settings;
    this.#context = context;
    this.#hides = request.reasoning?.exclude === true;
    this.#blocks = new AnswerBlocks({
      settings,
      model: request.model.model,
      uniqueId: createUniqueIds(request),
      thinkingField: () => chunks.thinkingField,
      writtenArguments: (id) => (profile.argumentsFromChunks === true ? chunks.argumentsOf(id) : null),
    });
  }

  /** The parts for a part of the AI SDK. Throws a StreamedError for an error that the provider reports. */
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
        this.#context.chunks.read(part.rawValue, this.#context.settings.profile);
        // A part for every chunk, also for one whose text waits: it shows that the provider still sends.
        return [this.#raw(this.#hides ? withoutThinkingText(part.rawValue) : part.rawValue)];
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
        this.#context.chunks.sources.add(part.sourceType === "url" ? part.url : null, part.title);
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
    const unknown = unknownPiece(error, this.#context.settings.profile);
    if (unknown === null && !isCut(error)) throw new StreamedError(withReadableMessage(error));
    if (unknown !== null && unknown.block !== null) this.#unknown.add(unknown.block);
    if (unknown !== null) return [];
    const { usage } = this.#context.chunks;
    return [usage === null ? cutFailure() : { ...cutFailure(), usage }];
  }

  #raw(value: unknown): ModelPart {
    return { type: "raw", chunk: this.#context.raw.take(value).join("") };
  }

  #finish(part: Extract<LanguageModelV3StreamPart, { type: "finish" }>): ModelPart[] {
    const { request, settings, chunks, exchange } = this.#context;
    const converted = convertUsage(part.usage);
    const end = {
      reason: part.finishReason,
      detail: chunks.stopDetail,
      ended: exchange.ended,
      // The packages read token counts only from the field that their protocol documents; `chunks` also reads other fields.
      usage: converted.total_tokens > 0 ? converted : (chunks.usage ?? converted),
      reported_cost: settings.profile.reportedCost?.((part.providerMetadata ?? {}) as JsonObject) ?? null,
      hasOtherContent: this.#hasOtherContent,
      sources: chunks.sources.all(),
    };
    const model_id = this.#modelId ?? chunks.modelId;
    const before = endOfAnswer({ ...end, model_id, hasCalls: false }, request.model);
    // Only an answer that finished closes its calls; those of an interrupted one stay open.
    const closing = before.type === "finish" ? this.#blocks.finish(isCutShort(before.stop_reason)) : [];
    return [...closing, endOfAnswer({ ...end, model_id, hasCalls: this.#blocks.closedCalls > 0 }, request.model)];
  }
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.round(value) : 0;
}

/** Tokens of the answer with its reasoning. Some providers count reasoning separately, which their total shows. */
function answerTokens(usage: LanguageModelV3Usage): number {
  const total = count(usage.outputTokens.total);
  const reasoning = count(usage.outputTokens.reasoning);
  const reported = count(usage.raw?.["total_tokens"]);
  const isSeparate = reasoning > total || reported === count(usage.inputTokens.total) + total + reasoning;
  return isSeparate ? total + reasoning : total;
}

/**
 * Converts the token counts of one call. Missing counts are zero. `input` counts uncached prompt tokens only, `output` includes reasoning,
 * no count is negative, and the total is the sum of the four (decision 20: how tokens are counted).
 */
function convertUsage(usage: LanguageModelV3Usage): Usage {
  const cache_read = count(usage.inputTokens.cacheRead);
  const cache_write = count(usage.inputTokens.cacheWrite);
  const total = usage.inputTokens.total;
  // The packages differ in whether `noCache` includes the tokens written to the cache. The total always includes them.
  const input = total === undefined ? count(usage.inputTokens.noCache) : count(total - cache_read - cache_write);
  const output = answerTokens(usage);
  return { input, output, cache_read, cache_write, total_tokens: input + output + cache_read + cache_write };
}
