// The AI SDK's stream of parts as ours. Invariants: exactly one `finish` or `error`, and nothing after it; what the
// provider sent is told as `raw`, secrets cut out; a stream that ends without saying why is an error (decision 22).

import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";

import type { ModelPart, ModelRequest } from "#core/ports/model-port.ts";

import { AnswerBlocks } from "./answer-blocks.ts";
import { createUniqueIds } from "./call-ids.ts";
import { convertUsage } from "./convert-usage.ts";
import { cutFailure, endOfAnswer } from "./end-of-answer.ts";
import { withoutThinkingWords } from "./hidden-thinking.ts";
import type { NetworkProvider } from "./provider-settings.ts";
import type { ChunkReader } from "./raw-chunk.ts";
import type { RawText } from "./raw-text.ts";
import { isUnknownEvent } from "./unknown-event.ts";

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
  provider: NetworkProvider;
  /** What the log is told of the chunks. */
  raw: RawText;
  /** Reads every chunk; the caller keeps it for what is known when the stream breaks. */
  chunks: ChunkReader;
}

// Their packages close every call when the stream ends, however it ended.
const closesCallsAtEnd: Record<NetworkProvider, boolean> = {
  openai: true,
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
  try {
    for await (const part of converted(stream, context)) {
      if (part.type === "finish" || part.type === "error") yield* waiting();
      yield hides && "provider_data" in part ? withoutThinkingWords(part) : part;
    }
  } catch (thrown) {
    yield* waiting();
    throw thrown;
  }
}

async function* converted(
  stream: AsyncIterable<LanguageModelV3StreamPart>,
  { request, provider, raw, chunks }: StreamContext,
): AsyncGenerator<ModelPart> {
  const blocks = new AnswerBlocks({
    provider,
    uniqueId: createUniqueIds(request),
    closesCallsAtEnd: closesCallsAtEnd[provider],
    writtenArguments: (id) => (provider === "openrouter" ? chunks.argumentsOf(id) : null),
  });
  const hides = request.reasoning?.exclude === true;
  // Calls the provider runs itself: not ours to run, and not ours to show.
  const foreign = new Set<string>();
  let modelId: string | null = null;

  for await (const part of stream) {
    switch (part.type) {
      case "text-start":
        yield* blocks.start("text", part);
        break;
      case "text-delta":
        yield* blocks.delta("text", part);
        break;
      case "text-end":
        yield* blocks.end("text", part);
        break;
      case "reasoning-start":
        yield* blocks.start("thinking", part);
        break;
      case "reasoning-delta":
        yield* blocks.delta("thinking", part);
        break;
      case "reasoning-end":
        yield* blocks.end("thinking", part);
        break;
      case "tool-input-start":
        if (part.providerExecuted === true) foreign.add(part.id);
        else yield* blocks.startCall(part.id, part.toolName);
        break;
      case "tool-input-delta":
        if (!foreign.has(part.id)) yield* blocks.callDelta(part.id, part.delta);
        break;
      case "tool-call":
        if (part.providerExecuted !== true) yield* blocks.closeCall(part);
        break;
      case "raw":
        chunks.read(part.rawValue);
        // Also while it waits: every part says that the provider is still there.
        yield { type: "raw", chunk: raw.take(hides ? withoutThinkingWords(part.rawValue) : part.rawValue).join("") };
        break;
      case "response-metadata":
        modelId = part.modelId ?? modelId;
        break;
      case "error":
        if (isUnknownEvent(part.error)) break;
        throw new StreamedError(part.error);
      case "finish": {
        const told = { reason: part.finishReason, usage: convertUsage(part.usage), reported_cost: reportedCost(part) };
        const model_id = modelId ?? chunks.modelId();
        const before = endOfAnswer({ ...told, model_id, hasCalls: false }, request.model);
        // Only an answer that finished closes its calls; a cut one leaves them open.
        if (before.type === "finish") yield* blocks.finish(before.stop_reason === "length");
        yield endOfAnswer({ ...told, model_id, hasCalls: blocks.closedCalls > 0 }, request.model);
        return;
      }
      case "stream-start":
        if (part.warnings.length > 0) yield { type: "raw", chunk: raw.take({ warnings: part.warnings }).join("") };
        break;
      case "tool-input-end":
      case "tool-approval-request":
      case "tool-result":
      case "file":
      case "source":
        break;
    }
  }
  const usage = chunks.usage();
  yield usage === null ? cutFailure() : { ...cutFailure(), usage };
}
