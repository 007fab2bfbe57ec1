// A model for single requests without the tool loop. Strategies that decide about each request themselves use it.

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
  /** Settings of the connection, in place of the bound model's. */
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
  /** Sends the same request and gives its events. Leaving the loop over the events aborts it. */
  stream(request: LLMRequest): LLMStreamResult;
}

/** Binds a model to settings of its provider. */
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
