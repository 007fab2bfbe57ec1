// `bindModel`: a model that sends single requests and executes no calls. It is for programs with a tool loop of their own.

import type { JsonObject } from "#contract/json.ts";
import type { StopReason } from "#contract/thread-message.ts";

import { EventStream, turnObserver } from "./event-stream.ts";
import { capabilitiesOf } from "./input-check.ts";
import { mergedConfig } from "./model-reference.ts";
import type { LLMCapabilities, ModelReference, Provider, ProviderConfig } from "./model-reference.ts";
import { runTurn } from "./run-turn.ts";
import type { StreamEvent } from "./stream-event.ts";
import type { EndedTurn } from "./turn-records.ts";
import type { TurnRequest } from "./turn-request.ts";
import type { TokenUsage } from "./turn.ts";
import type { AnyMessage, AssistantMessage } from "./upp-message.ts";
import type { JSONSchema, Tool } from "./upp-tool.ts";

/** One request. */
export interface LLMRequest {
  messages: readonly AnyMessage[];
  system?: string;
  /** Fields that are merged into the request's body, in the form of the provider's API. */
  params?: Record<string, unknown>;
  /** The tools that the answer may call. They are not executed. */
  tools?: readonly Tool[];
  structure?: JSONSchema;
  /** Connection settings. They replace those of the bound model. */
  config?: ProviderConfig;
  /** Aborts the request. */
  signal?: AbortSignal;
}

/** The answer to one request. */
export interface LLMResponse {
  message: AssistantMessage;
  usage: TokenUsage;
  stopReason: StopReason;
  /** The structured answer. It is not validated. */
  data?: unknown;
}

/** The events of a request in progress. */
export interface LLMStreamResult extends AsyncIterable<StreamEvent> {
  /** Resolves when the answer is complete; rejects as `complete` does. */
  readonly response: Promise<LLMResponse>;
  /** Aborts the request. */
  abort(): void;
}

/** A model for single requests. */
export interface BoundModel {
  readonly modelId: string;
  readonly provider: Provider;
  readonly capabilities: LLMCapabilities;
  /** Sends one request. Throws a `UPPError`. */
  complete(request: LLMRequest): Promise<LLMResponse>;
  /** Sends one request and returns its events. Leaving the `for await` loop over the events aborts the request. */
  stream(request: LLMRequest): LLMStreamResult;
}

/** Creates a model for single requests. `config` replaces settings of the provider. */
export function bindModel(model: ModelReference, config?: ProviderConfig): BoundModel {
  const bound = mergedConfig(model, config);
  const turnRequest = ({ messages, ...request }: LLMRequest): TurnRequest => ({
    model,
    config: mergedConfig({ ...model, config: bound }, request.config),
    params: request.params as JsonObject | undefined,
    system: request.system ?? "",
    tools: request.tools ?? [],
    toolStrategy: {},
    modelOrder: false,
    maxIterations: 0,
    structure: request.structure,
    history: messages,
    input: [],
  });
  return {
    modelId: model.modelId,
    provider: model.provider,
    capabilities: capabilitiesOf(model, bound),
    complete: async (request) => responseOf(await runTurn(turnRequest(request), { signal: request.signal })),
    stream(request) {
      const start = turnRequest(request);
      const stream = new EventStream<LLMResponse>(
        async (sink) => responseOf(await runTurn(start, turnObserver(sink))),
        request.signal,
      );
      return {
        response: stream.result,
        abort: () => stream.abort(),
        [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
      };
    },
  };
}

function responseOf({ turn: { response, usage, data }, stopReason }: EndedTurn): LLMResponse {
  const { cycles: _, ...tokens } = usage;
  return { message: response, usage: tokens, stopReason, ...(data === undefined ? {} : { data }) };
}
