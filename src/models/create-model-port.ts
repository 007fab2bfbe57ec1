// The model port for all providers. It sends a request, through the AI SDK or to the scripted `test` provider in the same process, and
// converts the stream of the answer. Invariants: `stream` never throws; its last part is the only `finish` or `error`; a stream that ends
// without a finish reason is an error; chunks are passed on as `raw` parts without secrets; when `stream` has ended, the response body was
// read or cancelled. It never retries: the retry engine is in core (decision 22: retries).

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";

import type { JsonObject } from "#contract/json.ts";
import type { StopReason } from "#contract/thread-message.ts";
import { answerData } from "#core/model/answer-data.ts";
import type { ModelFacts, ModelPart, ModelPort, ModelRequest } from "#core/ports/model-port.ts";
import { fromBase64, toBase64 } from "#lib/base64.ts";
import { followAbort } from "#lib/follow-abort.ts";
import { systemClock } from "#lib/system-clock.ts";
import { platformTimers, type Timers } from "#lib/timers.ts";

import { AnswerBlocks } from "./answer-blocks.ts";
import { createUniqueIds } from "./call-ids.ts";
import { prepareCall } from "./call-options.ts";
import { ChunkReader } from "./chunk-reader.ts";
import { classifyFailure, failure } from "./classify-failure.ts";
import { cutFailure, endOfAnswer } from "./end-of-answer.ts";
import { withoutThinkingText } from "./hidden-thinking.ts";
import { LanguageModels } from "./language-models.ts";
import { modelFacts } from "./model-facts.ts";
import { newExchange, noLongerNeeded, observeFetch, type Watch } from "./observed-fetch.ts";
import { knownSecrets, providerSettings } from "./provider-settings.ts";
import type { ModelAccess } from "./provider-settings.ts";
import type { ProviderSettings } from "./provider/provider-profile.ts";
import { providerNamed } from "./provider/providers.ts";
import { RawText } from "./raw-text.ts";
import { readStream, untilAborted } from "./read-stream.ts";
import { notReadyMessage, withKeyHint } from "./readiness.ts";
import { createRedact, withoutSecrets } from "./redact.ts";
import { RefusedRequest } from "./refused-request.ts";
import { repairedFetch } from "./repaired-fetch.ts";
import { isCut, unknownPiece, withReadableMessage } from "./reported-error.ts";
import { paramsFetch } from "./request-params.ts";
import { sameOriginFetch } from "./same-origin-fetch.ts";
import { thinksInSilence } from "./silent-thinking.ts";

/** Dependencies of a model port. */
export interface ModelPortOptions {
  /** Keys and addresses: `OPENAI_API_KEY`, `OPENAI_BASE_URL` and the like for each provider. */
  env: Record<string, unknown>;
  /** Sends every HTTP request. */
  fetch: typeof globalThis.fetch;
  /** The key and the fetch of one model, for a process that has several. Absent, or undefined for a model: those of the port. */
  accessTo?: (model: ModelRequest["model"]) => ModelAccess | undefined | Promise<ModelAccess | undefined>;
  /** Keeps the language models of the provider packages. Default: for the lifetime of the port. */
  languages?: LanguageModels;
  /** Waits between the parts of a scripted answer. Default: a timer. Rejects when the signal aborts. */
  delay?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** The timers that limit the silence of a connection that stays open after an answer. Default: the platform's. */
  timers?: Timers;
  /** Milliseconds since 1970, for `Retry-After` dates. */
  now?: () => number;
}

/** A model request, and the state of its stream. */
interface Call {
  request: ModelRequest;
  settings: ProviderSettings;
  /** The HTTP exchange of the request, and the functions that follow it. */
  watch: Watch;
  /** Converts chunks to texts for the log. */
  raw: RawText;
  /** The name of the tool whose arguments are the structured answer; null if there is none. Set when the call options are prepared. */
  answerTool: string | null;
  /** Reads every chunk. Its token counts are used if the stream breaks. */
  chunks: ChunkReader;
}

/** Prepares a model request. `warnings` are logged before the request is sent, because the request may fail. */
async function prepared(
  call: Call,
  { languages, fetch, signal }: { languages: LanguageModels; fetch: typeof globalThis.fetch; signal: AbortSignal },
) {
  const { request, settings, watch } = call;
  const { options, warnings, answerTool } = prepareCall(request, settings, signal);
  call.answerTool = answerTool;
  const toolNames = (options.tools ?? []).map(({ name }) => name);
  const { profile } = settings;
  const watched = repairedFetch(sameOriginFetch(observeFetch(fetch, watch)), watch, { profile, toolNames });
  const sending = paramsFetch(watched, request.params);
  const language = await languages.get({ model: request.model, to: settings }, signal, sending);
  const parts = async (): Promise<AsyncIterable<ModelPart>> => {
    const { stream } = await untilAborted(Promise.resolve(language.doStream(options)), signal);
    return convertStream(readStream(stream, signal), call);
  };
  return { warnings, parts };
}

/** Creates the port (architecture §4, ModelPort). */
export function createModelPort(options: ModelPortOptions): ModelPort {
  const { env, fetch, accessTo, languages = new LanguageModels(), timers = platformTimers } = options;
  const now = options.now ?? Date.now;
  const delay = options.delay ?? systemClock.sleep;
  const ownSecrets = knownSecrets(env);
  const redactKnown = createRedact(ownSecrets);

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
    received: () => void = () => {},
  ): AsyncGenerator<ModelPart> {
    const exchange = newExchange();
    const watch = { exchange, received, timers };
    const chunks = new ChunkReader();
    let redact = redactKnown;
    // Aborts the request whenever this generator ends, however it ends.
    const ending = followAbort(signal);
    try {
      signal.throwIfAborted();
      const provider = providerNamed(request.model.provider);
      if (provider !== undefined && "play" in provider) {
        yield* provider.play(request, signal, delay);
        return;
      }
      const access = (await accessTo?.(request.model)) ?? {};
      const secrets = access.apiKey === undefined ? ownSecrets : [...ownSecrets, access.apiKey];
      if (access.apiKey !== undefined) redact = createRedact(secrets);
      const settings = providerSettings(request.model, env, access);
      if (settings === null) {
        yield { type: "error", failure: failure("not_configured", notReadyMessage(request.model)) };
        return;
      }
      const call = { request, settings, watch, raw: new RawText(secrets, redact), answerTool: null, chunks };
      const sent = { languages, fetch: access.fetch ?? fetch, signal: ending.controller.signal };
      const { warnings, parts } = await prepared(call, sent);
      if (warnings.length > 0 && request.raw !== false) yield { type: "raw", chunk: JSON.stringify({ warnings }) };
      for await (const part of await parts()) yield withoutSecrets(part, redact);
    } catch (error) {
      if (error instanceof RefusedRequest) {
        yield { type: "error", failure: failure("api", redact(error.message)) };
        return;
      }
      const cause = error instanceof StreamedError ? error.reported : error;
      const context = { exchange, redact, now: now(), aborted: signal.aborted };
      const { usage } = chunks;
      const classified = withKeyHint(classifyFailure(cause, context), request.model);
      yield { type: "error", failure: classified, ...(usage === null ? {} : { usage }) };
    } finally {
      ending.release();
      ending.controller.abort(noLongerNeeded);
    }
  }

  // Each step asks for them. They depend on the definition and on the variables, which do not change.
  const known = new WeakMap<ModelRequest["model"], ModelFacts>();
  const facts = (model: ModelRequest["model"]): ModelFacts => {
    const found = known.get(model) ?? modelFacts(model, env);
    known.set(model, found);
    return found;
  };
  return { stream, thinksInSilence, facts };
}

/** A provider's error in the middle of its stream, thrown to be classified with every other failure. */
class StreamedError extends Error {
  readonly reported: unknown;

  constructor(reported: unknown) {
    super("The provider reported an error in its stream.");
    this.reported = reported;
  }
}

/**
 * Converts a stream. Either its last part is the only `finish` or `error`, or it throws: a StreamedError for an error that the provider
 * reported, any other error for a broken connection. If the reader stops early, the caller cancels the request.
 */
async function* convertStream(stream: AsyncIterable<LanguageModelV3StreamPart>, call: Call): AsyncGenerator<ModelPart> {
  const waiting = (): ModelPart[] => call.raw.end().map((chunk) => ({ type: "raw", chunk }));
  const hides = call.request.reasoning?.exclude === true;
  const shown = (part: ModelPart): ModelPart => (hides && "provider_data" in part ? withoutThinkingText(part) : part);
  const conversion = new Conversion(call);
  try {
    for await (const part of stream) {
      const parts = conversion.take(part);
      const over = parts.at(-1)?.type === "finish" || parts.at(-1)?.type === "error";
      // The parts are yielded one by one, because `yield*` over a list takes several turns of the event loop for each part.
      if (over) for (const chunk of waiting()) yield chunk;
      for (const next of parts) yield shown(next);
      if (over) return;
    }
  } catch (thrown) {
    for (const chunk of waiting()) yield chunk;
    throw thrown;
  }
  for (const chunk of waiting()) yield chunk;
  const { usage } = call.chunks;
  yield usage === null ? cutFailure() : { ...cutFailure(), usage };
}

/** Whether an answer with this stop reason may end inside a tool call. */
function isCutShort(reason: StopReason): boolean {
  return reason === "length" || reason === "content_filter";
}

/** Converts the stream part by part. The last returned list ends with `finish` or `error`. */
class Conversion {
  readonly #call: Call;
  readonly #blocks: AnswerBlocks;
  readonly #hides: boolean;
  /** Ids of tool calls that the provider executes itself. The runtime neither executes nor shows them. */
  readonly #foreign = new Set<string>();
  /** The provider sent content other than text, thinking and tool calls. */
  #hasOtherContent = false;
  /** Ids of content blocks of a kind that the provider's package does not know. */
  readonly #unknown = new Set<string>();
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
        if (part.providerExecuted !== true) return blocks.closeCall(part);
        this.#hasOtherContent = true;
        return [];
      case "raw":
        return this.#chunk(part.rawValue);
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
        this.#call.chunks.sources.add(part.sourceType === "url" ? part.url : null, part.title);
        return [];
      case "tool-input-end":
      case "tool-approval-request":
        return [];
    }
  }

  /** Converts the call that returns the structured answer to text, so that an answer is the same with and without a forced call. */
  #startAnswer(id: string): ModelPart[] {
    this.#answerCalls.set(id, false);
    return this.#blocks.startAnswer({ id });
  }

  #answerDelta(id: string, delta: string): ModelPart[] {
    if (delta !== "") this.#answerCalls.set(id, true);
    return this.#blocks.delta("text", { id, delta });
  }

  #endAnswer({ toolCallId: id, input, providerMetadata }: Extract<LanguageModelV3StreamPart, { type: "tool-call" }>) {
    const started = this.#answerCalls.has(id) ? [] : this.#startAnswer(id);
    const text = this.#answerCalls.get(id) === true ? [] : this.#answerDelta(id, input);
    return [...started, ...text, ...this.#blocks.end("text", { id, providerMetadata })];
  }

  #chunk(value: unknown): ModelPart[] {
    const { request, settings, chunks } = this.#call;
    const { profile } = settings;
    const { data = "", transcript = "" } = chunks.read(value, profile) ?? {};
    return [
      // Every chunk causes a part, even if its text is kept until the next chunk. The part shows that the provider still sends.
      ...(request.raw === false ? [] : [this.#raw(this.#hides ? withoutThinkingText(value) : value)]),
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
    if (unknown !== null) return [];
    const { usage } = this.#call.chunks;
    return [usage === null ? cutFailure() : { ...cutFailure(), usage }];
  }

  #raw(value: unknown): ModelPart {
    return { type: "raw", chunk: this.#call.raw.take(value).join("") };
  }

  #finish(part: Extract<LanguageModelV3StreamPart, { type: "finish" }>): ModelPart[] {
    const { request, settings, chunks, watch } = this.#call;
    const end = {
      reason: part.finishReason,
      detail: chunks.stopDetail,
      ended: watch.exchange.ended,
      usage: chunks.finalUsage(part.usage),
      reported_cost: settings.profile.reportedCost?.((part.providerMetadata ?? {}) as JsonObject) ?? null,
      hasOtherContent: this.#hasOtherContent,
      sources: chunks.sources.all(),
    };
    const model_id = this.#modelId ?? chunks.modelId;
    const before = endOfAnswer({ ...end, model_id, hasCalls: false }, request.model);
    // Only a finished answer closes its tool calls. Those of an interrupted answer stay open.
    const closing = before.type === "finish" ? this.#blocks.finish(isCutShort(before.stop_reason)) : [];
    const hasCalls = this.#blocks.closedCalls > 0;
    const last = endOfAnswer({ ...end, model_id, hasCalls }, request.model);
    const data = hasCalls ? undefined : answerData([...(this.#texts?.values() ?? [])]);
    return [...closing, last.type === "finish" && data !== undefined ? { ...last, data } : last];
  }
}
