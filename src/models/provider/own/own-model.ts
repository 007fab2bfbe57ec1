// The language model of a provider of the project's own: the model that the provider returns, or one over its function. Invariants: the stream
// has bounded parts; `finish` is its last part; every error of the project's code ends the stream.

import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart } from "@ai-sdk/provider";

import { isObject } from "#lib/json-value.ts";
import type { ProviderContext, ProviderDefinition, WorkerEnv } from "#spec/index.ts";

import { RefusedRequest } from "../../refused-request.ts";
import { FunctionAnswer } from "./function-parts.ts";
import { functionRequest } from "./function-request.ts";
import { ownError, textOf } from "./own-error.ts";
import { SdkAnswer } from "./sdk-parts.ts";

/**
 * The maximum number of parts in a row without content. The size of an answer bounds its content, and the time limits of silence do not apply to
 * parts without content.
 */
const mostEmptyParts = 20_000;

/** What the language model of a request is made from. */
interface OwnModelOptions {
  file: string;
  modelId: string;
  env: Readonly<Record<string, unknown>>;
  fetch: typeof globalThis.fetch;
}

/** Converts the values of a stream, and knows whether one of them ended the answer. */
interface CheckedAnswer {
  readonly isFinished: boolean;
  take: (value: unknown) => LanguageModelV3StreamPart[];
}

/** Returns the model for one request. Throws for a value that is no model. */
export async function loadOwnModel(
  definition: ProviderDefinition,
  { modelId, env, fetch }: OwnModelOptions,
): Promise<LanguageModelV3> {
  const context: ProviderContext = { env: env as WorkerEnv, fetch };
  const { name } = definition;
  if (definition.stream !== undefined) {
    const { stream } = definition;
    return languageModel(name, modelId, (options) => {
      const signal = options.abortSignal ?? new AbortController().signal;
      const parts: unknown = stream(functionRequest(options, { modelId, optionsName: name, signal }), context);
      return checkedStream(iteratorOf(parts), new FunctionAnswer());
    });
  }
  let model: unknown;
  try {
    model = await definition.model(modelId, context);
  } catch (thrown) {
    throw ownError(thrown);
  }
  assertModel(model);
  return languageModel(name, modelId, async (options) => {
    const tools = options.tools === undefined ? {} : { tools: structuredClone(options.tools) };
    const result: unknown = await model.doStream({ ...options, ...tools });
    const stream = isObject(result) ? result["stream"] : undefined;
    if (!(stream instanceof ReadableStream))
      throw new RefusedRequest("The model's `doStream` returned no object with a ReadableStream `stream`.");
    return checkedStream(readerOf(stream as ReadableStream<unknown>), new SdkAnswer());
  });
}

function assertModel(model: unknown): asserts model is LanguageModelV3 {
  const isModel = typeof model === "object" && model !== null && "doStream" in model;
  if (!isModel || typeof model.doStream !== "function")
    throw new RefusedRequest(`The function \`model\` returned ${textOf(model)}, and no model of the AI SDK.`);
  const version: unknown = "specificationVersion" in model ? model.specificationVersion : undefined;
  if (version === "v3") return;
  throw new RefusedRequest(
    `The function \`model\` returned a model with the specification ${textOf(version)} of the AI SDK; it has to be "v3", that of AI SDK 6. ` +
      "Install a version of its package for AI SDK 6.",
  );
}

/** A model that only streams: requests call nothing else of it. */
function languageModel(
  provider: string,
  modelId: string,
  open: (
    options: LanguageModelV3CallOptions,
  ) => ReadableStream<LanguageModelV3StreamPart> | Promise<ReadableStream<LanguageModelV3StreamPart>>,
): LanguageModelV3 {
  return {
    specificationVersion: "v3",
    provider,
    modelId,
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("Every request is streamed.")),
    doStream: async (options) => {
      try {
        return { stream: await open(options) };
      } catch (thrown) {
        throw ownError(thrown);
      }
    },
  };
}

/** The members of an iterator that a stream uses. */
interface Source {
  next: () => Promise<{ done?: boolean | undefined; value?: unknown }>;
  cancel: () => unknown;
}

function iteratorOf(parts: unknown): Source {
  const isIterable = typeof parts === "object" && parts !== null && Symbol.asyncIterator in parts;
  if (!isIterable)
    throw new RefusedRequest(
      `The function \`stream\` returned ${textOf(parts)}. It has to be an async generator: async *stream(request, context) { … }.`,
    );
  const iterator = (parts as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  return { next: () => iterator.next(), cancel: () => iterator.return?.() };
}

function readerOf(stream: ReadableStream<unknown>): Source {
  const reader = stream.getReader();
  return { next: () => reader.read(), cancel: () => reader.cancel() };
}

/** Whether a part adds something to the answer. */
function hasContent(part: LanguageModelV3StreamPart): boolean {
  if (part.type === "tool-call" || part.type === "file") return true;
  return "delta" in part && part.delta !== "";
}

/** The parts of a source. The part `finish` waits for the end of the source, because no part may follow it. */
function checkedStream(source: Source, answer: CheckedAnswer): ReadableStream<LanguageModelV3StreamPart> {
  let empty = 0;
  let last: LanguageModelV3StreamPart[] = [];
  /** The next parts; null at the end. */
  const next = async (): Promise<LanguageModelV3StreamPart[] | null> => {
    const { done, value } = await source.next();
    if (done === true) return last.length > 0 ? last.splice(0) : null;
    const parts = answer.take(value);
    empty = parts.some(hasContent) ? 0 : empty + 1;
    if (empty > mostEmptyParts)
      throw new RefusedRequest(`The provider sent more than ${mostEmptyParts} parts in a row without content.`);
    if (!answer.isFinished) return parts;
    last = parts;
    return [];
  };
  const cancel = async (): Promise<void> => {
    try {
      await source.cancel();
    } catch {
      // The answer is over, so nothing reads this error.
    }
  };
  return new ReadableStream<LanguageModelV3StreamPart>(
    {
      async pull(controller) {
        try {
          let parts = await next();
          while (parts?.length === 0) parts = await next();
          if (parts === null) return controller.close();
          for (const part of parts) controller.enqueue(part);
        } catch (thrown) {
          controller.error(ownError(thrown));
          await cancel();
        }
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
}
