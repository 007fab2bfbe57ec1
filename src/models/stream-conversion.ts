// Converts the parts of a provider's package to the parts of an answer.

import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart } from "@ai-sdk/provider";

import type { JsonObject } from "#contract/json.ts";
import type { StopReason } from "#contract/thread-message.ts";
import { answerData } from "#core/model/answer-data.ts";
import type { ModelPart, ModelRequest } from "#core/ports/model-port.ts";
import { fromBase64, toBase64 } from "#lib/base64.ts";
import { fieldsOf } from "#lib/json-value.ts";

import { AnswerBlocks, parseKept } from "./answer-blocks.ts";
import { createUniqueIds } from "./call-ids.ts";
import type { ToolNames } from "./call-options.ts";
import type { ChunkReader } from "./chunk-reader.ts";
import type { DirectDeltas, DirectRaw } from "./direct-deltas.ts";
import { cutFailure, endOfAnswer } from "./end-of-answer.ts";
import { isFinishReason } from "./finish-reason.ts";
import { answeredFromCache } from "./gateway.ts";
import { withoutThinkingText } from "./hidden-thinking.ts";
import type { Watch } from "./observed-fetch.ts";
import type { ProviderSettings } from "./provider/provider-profile.ts";
import type { ProviderTools } from "./provider/tools/provider-tools.ts";
import type { RawText } from "./raw-text.ts";
import { isCut, unknownPiece, withReadableMessage } from "./reported-error.ts";

/** A model request, and the state of its stream. */
export interface Call {
  request: ModelRequest;
  settings: ProviderSettings;
  /** The HTTP exchange of the request, and the functions that follow it. */
  watch: Watch;
  /** Converts chunks to texts for the log. */
  raw: RawText;
  /** The name of the tool whose arguments are the structured answer; null if there is none. Set when the call options are prepared. */
  answerTool: string | null;
  /** The tools whose arguments are sent under other names. Set when the call options are prepared. */
  names: ToolNames;
  /** The tools that the provider executes itself; null if the request has none. Set before the request is sent. */
  providerTools: ProviderTools | null;
  /** Reads every chunk. Its token counts are used if the stream breaks. */
  chunks: ChunkReader;
  /** The direct path of the request; null if there is none. */
  direct: DirectDeltas | null;
}

/** A provider's error in the middle of its stream, thrown to be classified with every other failure. */
export class StreamedError extends Error {
  readonly reported: unknown;

  constructor(reported: unknown) {
    super("The provider reported an error in its stream.");
    this.reported = reported;
  }
}

/** Whether an answer with this stop reason may end inside a tool call. */
function isCutShort(reason: StopReason): boolean {
  return reason === "length" || reason === "content_filter";
}

/** Converts the stream part by part. At the end of the answer, the returned list ends with `finish` or `error`. */
export class Conversion {
  readonly #call: Call;
  readonly #blocks: AnswerBlocks;
  readonly #hides: boolean;
  /** Ids of tool calls that the provider executes itself. The runtime neither executes nor shows them. */
  readonly #foreign = new Set<string>();
  /** The provider sent content other than text, thinking and tool calls. */
  #hasOtherContent = false;
  /** Ids of content blocks of a kind that the provider's package does not know. */
  readonly #unknown = new Set<string>();
  /** The package could not read an event of an unknown kind. */
  #hasUnknownPieces = false;
  #modelId: string | null = null;
  /** Ids of calls of the tool that returns the structured answer, and whether a delta of their arguments arrived. */
  readonly #answerCalls = new Map<string, boolean>();
  /** The texts of the answer by block, for an answer with a structure. */
  readonly #texts: Map<number, string> | null;

  constructor(call: Call) {
    const { request, settings, chunks } = call;
    const { profile } = settings;
    this.#call = call;
    this.#hides = request.reasoning?.exclude === true;
    this.#texts = request.structure === undefined ? null : new Map();
    this.#blocks = new AnswerBlocks({
      settings,
      model: request.model.model,
      uniqueId: createUniqueIds(request),
      thinkingField: () => chunks.thinkingField,
      restored: (name, text) => this.#restored(name, text),
      writtenArguments: (id) => (profile.argumentsFromChunks === true ? chunks.argumentsOf(id) : null),
    });
  }

  /** Converts a part of the AI SDK's stream. Throws a StreamedError for an error that the provider reports. */
  take(part: LanguageModelV3StreamPart): ModelPart[] {
    const parts = this.#convert(part);
    if (this.#texts === null) return parts;
    for (const next of parts) {
      if (next.type === "text_delta") this.#texts.set(next.index, (this.#texts.get(next.index) ?? "") + next.delta);
    }
    return parts;
  }

  #convert(part: LanguageModelV3StreamPart): ModelPart[] {
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
        if (part.providerExecuted !== true && part.toolName === this.#call.answerTool)
          return this.#startAnswer(part.id);
        if (part.providerExecuted !== true) return blocks.startCall(part.id, part.toolName);
        this.#foreign.add(part.id);
        return [];
      case "tool-input-delta":
        if (this.#answerCalls.has(part.id)) return this.#answerDelta(part.id, part.delta);
        return this.#foreign.has(part.id) ? [] : blocks.callDelta(part.id, part.delta);
      case "tool-call":
        if (part.providerExecuted !== true && part.toolName === this.#call.answerTool) return this.#endAnswer(part);
        return part.providerExecuted === true ? this.#providerTool() : blocks.closeCall(part);
      case "raw":
        return this.#chunk(part);
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
        return this.#providerTool();
      case "source":
        this.#call.chunks.sources.add(part.sourceType === "url" ? part.url : null, part.title);
        return [];
      case "tool-input-end":
      case "tool-approval-request":
        return [];
    }
  }

  /** A part of the package for a tool that the provider executed. Its content is read from the chunks. */
  #providerTool(): ModelPart[] {
    this.#hasOtherContent = true;
    return this.#call.providerTools?.next(this.#blocks) ?? [];
  }

  /** Converts the call that returns the structured answer to text, so that an answer is the same with and without a forced call. */
  #startAnswer(id: string): ModelPart[] {
    this.#answerCalls.set(id, false);
    return this.#blocks.startAnswer({ id });
  }

  #answerDelta(id: string, delta: string): ModelPart[] {
    // Names are restored when the answer is complete.
    if (this.#call.names.has(this.#call.answerTool ?? "")) return [];
    if (delta !== "") this.#answerCalls.set(id, true);
    return this.#blocks.delta("text", { id, delta });
  }

  #endAnswer({ toolCallId: id, input, providerMetadata }: Extract<LanguageModelV3StreamPart, { type: "tool-call" }>) {
    const started = this.#answerCalls.has(id) ? [] : this.#startAnswer(id);
    const delta = this.#restored(this.#call.answerTool ?? "", input);
    const text = this.#answerCalls.get(id) === true ? [] : this.#blocks.delta("text", { id, delta });
    return [...started, ...text, ...this.#blocks.end("text", { id, providerMetadata })];
  }

  /** The arguments of a call with the names of its tool. Arguments that are not JSON stay as they are. */
  #restored(name: string, text: string): string {
    const given = this.#call.names.has(name) ? parseKept(text) : undefined;
    return given === undefined ? text : JSON.stringify(this.#call.names.get(name)?.restored(given));
  }

  #chunk({ rawValue: value, facts }: DirectRaw): ModelPart[] {
    const { request, settings, chunks } = this.#call;
    const { profile } = settings;
    const { data = "", transcript = "" } = chunks.read(facts ?? profile.readChunk(fieldsOf(value))) ?? {};
    return [
      // Every chunk causes a `raw` part (unless the request omits them), even if its text is kept until the next chunk. The part shows that
      // data still arrives.
      ...(request.raw === false ? [] : [this.#raw(this.#hides ? withoutThinkingText(value) : value)]),
      ...(this.#call.providerTools?.read(fieldsOf(value), this.#blocks) ?? []),
      ...(transcript === "" ? [] : this.#blocks.delta("text", { id: "transcript", delta: transcript })),
      ...(data === "" ? [] : this.#media(profile.speechType?.(request.params) ?? "", data)),
    ];
  }

  #file({ mediaType, data }: Extract<LanguageModelV3StreamPart, { type: "file" }>): ModelPart[] {
    this.#hasOtherContent = true;
    return this.#media(mediaType, typeof data === "string" ? data : toBase64(data));
  }

  /** Adds generated media. Files of other types, and media that are an address instead of bytes, count as other content. */
  #media(mimeType: string, data: string): ModelPart[] {
    const isShown = /^(image\/[\w.+-]+$|audio\/|video\/)/.test(mimeType) && fromBase64(data) !== null;
    if (isShown) return this.#blocks.media(mimeType, data);
    this.#hasOtherContent = true;
    return [];
  }

  #error(error: unknown): ModelPart[] {
    const unknown = unknownPiece(error, this.#call.settings.profile);
    if (unknown === null && !isCut(error)) throw new StreamedError(withReadableMessage(error));
    if (unknown !== null && unknown.block !== null) this.#unknown.add(unknown.block);
    if (unknown !== null) {
      this.#hasUnknownPieces = true;
      return [];
    }
    return [cutFailure(this.#call.chunks.usage)];
  }

  #raw(value: unknown): ModelPart {
    return { type: "raw", chunk: this.#call.raw.take(value).join("") };
  }

  /**
   * The finish reason. Some packages report an error as the reason if they could not read an event. If the event was only unknown, the
   * reason from the chunks is used.
   */
  #reasonOf({ finishReason }: Extract<LanguageModelV3StreamPart, { type: "finish" }>): LanguageModelV3FinishReason {
    const { raw } = finishReason;
    if (raw !== undefined && !isFinishReason(raw)) return { unified: "other", raw: undefined };
    const isLost = this.#hasUnknownPieces && finishReason.unified === "error" && raw === undefined;
    return isLost ? { unified: "other", raw: this.#call.chunks.stopReason ?? undefined } : finishReason;
  }

  #finish(part: Extract<LanguageModelV3StreamPart, { type: "finish" }>): ModelPart[] {
    const { request, settings, chunks, watch, providerTools } = this.#call;
    // Read before the end: it may add sources.
    const tools = providerTools?.finish(this.#blocks) ?? [];
    const end = {
      reason: this.#reasonOf(part),
      detail: chunks.stopDetail,
      ended: watch.exchange.ended,
      usage: chunks.finalUsage(part.usage),
      reported_cost: answeredFromCache(settings, watch.exchange)
        ? 0
        : (settings.profile.reportedCost?.((part.providerMetadata ?? {}) as JsonObject) ?? null),
      hasOtherContent: this.#hasOtherContent,
      hasWholeContent: this.#blocks.isWhole,
      sources: chunks.sources.all(),
    };
    const model_id = this.#modelId ?? chunks.modelId;
    const before = endOfAnswer({ ...end, model_id, hasCalls: false }, request.model);
    // Only a finished answer closes its tool calls. Those of an interrupted answer stay open.
    const closing = before.type === "finish" ? this.#blocks.finish(isCutShort(before.stop_reason)) : [];
    const hasCalls = this.#blocks.closedCalls > 0;
    const last = endOfAnswer({ ...end, model_id, hasCalls }, request.model);
    const data = hasCalls ? undefined : answerData([...(this.#texts?.values() ?? [])]);
    const { warnings } = watch.exchange;
    if (warnings.length > 0 && request.raw !== false) closing.unshift(this.#raw({ warnings }));
    return [...tools, ...closing, last.type === "finish" && data !== undefined ? { ...last, data } : last];
  }
}
