// A provider for tests, which answers from a list (REQ-030).

import type { JsonObject } from "#contract/json.ts";
import { zeroUsage } from "#contract/usage.ts";
import { plainCopy } from "#lib/plain-copy.ts";

import type { CancellationToken } from "../cancellation-token.ts";
import { LoopError } from "../loop-error.ts";
import type { AssistantMessage, Content, StopReason, Usage } from "../loop-messages.ts";
import { modelConfig } from "./model-config.ts";
import { ProviderError } from "./provider-error.ts";
import type { StreamConfig, StreamEvent, StreamProvider, StreamSender } from "./stream-provider.ts";

/** A call in a scripted answer. */
export interface MockToolCall {
  name: string;
  arguments: JsonObject;
  /** Default: `mock-tool-0`, `mock-tool-1`, … */
  id?: string;
}

/** A scripted answer. Its blocks are thinking, text and calls, in this order. */
export interface MockAnswer {
  thinking?: string;
  /** A list: the deltas of the text. */
  text?: string | readonly string[];
  tool_calls?: readonly MockToolCall[];
  /** Default: `toolUse` with calls, else `stop`. */
  stop_reason?: StopReason;
  /** The error of an answer with the stop reason `error`. */
  error_message?: string;
  /** The request fails with this error after the blocks of the answer. */
  error?: ProviderError;
  /** Absent counts are 0; `total_tokens` is their sum. */
  usage?: Partial<Usage>;
  /** The answer does not begin before this promise resolves. */
  begins_after?: PromiseLike<unknown>;
  /** The answer does not end before this promise resolves. */
  ends_after?: PromiseLike<unknown>;
}

/** A text, an answer, an error, or a function that returns one of them. */
export type MockResponse =
  | string
  | MockAnswer
  | ProviderError
  | ((config: StreamConfig) => MockResponse | Promise<MockResponse>);

/** Options of a `MockProvider`. */
export interface MockOptions {
  /** Whether a request after the last response fails. Default: it is answered with a text. */
  strict?: boolean;
}

const noMore = "(no more mock responses)";

/** Answers each request with the next response. */
export class MockProvider implements StreamProvider {
  readonly #responses: readonly MockResponse[];
  readonly #strict: boolean;
  readonly #requests: StreamConfig[] = [];

  constructor(responses: readonly MockResponse[] = [], { strict = false, ...unknown }: MockOptions = {}) {
    const [name] = Object.keys(unknown);
    if (name !== undefined)
      throw new LoopError(`There is no option \`${name}\` of MockProvider. The option is strict.`);
    for (const [at, response] of responses.entries()) checkResponse(response, `responses[${at}]`);
    this.#responses = [...responses];
    this.#strict = strict;
  }

  /** Answers the first request with a text. */
  static text(text: string): MockProvider {
    return new MockProvider([text]);
  }

  /** Answers each request with the next text. */
  static texts(texts: readonly string[]): MockProvider {
    return new MockProvider(texts);
  }

  /** Answers the first request with calls. */
  static toolCalls(tool_calls: readonly MockToolCall[]): MockProvider {
    return new MockProvider([{ tool_calls }]);
  }

  /** The received requests, as they were when they arrived. Their configs have no key. */
  get requests(): readonly StreamConfig[] {
    return this.#requests;
  }

  providerId(): string {
    return "mock";
  }

  async stream(config: StreamConfig, tx: StreamSender, cancel: CancellationToken): Promise<AssistantMessage> {
    const at = this.#requests.length;
    this.#requests.push(recorded(config));
    if (cancel.isCancelled()) throw ProviderError.cancelled();
    const response = await untilCancelled(cancel, this.#answer(at, config));
    if (response instanceof ProviderError) throw response;
    if (response.begins_after !== undefined) await untilCancelled(cancel, response.begins_after);
    tx.send({ type: "Start" });
    const message = messageOf(response);
    for (const event of eventsOf(response, message.content)) tx.send(event);
    if (response.ends_after !== undefined) await untilCancelled(cancel, response.ends_after);
    if (response.error !== undefined) throw response.error;
    tx.send({ type: message.stop_reason === "error" ? "Error" : "Done", message });
    return message;
  }

  async #answer(at: number, config: StreamConfig): Promise<MockAnswer | ProviderError> {
    let response = this.#responses[at];
    if (response === undefined) {
      if (this.#strict)
        throw ProviderError.other(
          `MockProvider has ${this.#responses.length} responses, and received request ${at + 1}. Add a response.`,
        );
      response = noMore;
    }
    while (typeof response === "function") {
      response = await response(config);
      checkResponse(response, `the result of responses[${at}]`);
    }
    return typeof response === "string" ? { text: response } : response;
  }
}

const fields = new Set(
  "thinking text tool_calls stop_reason error_message error usage begins_after ends_after".split(" "),
);

function checkResponse(response: unknown, name: string): void {
  if (typeof response === "string" || typeof response === "function" || response instanceof ProviderError) return;
  if (typeof response !== "object" || response === null)
    throw new LoopError(`${name} has to be a text, an answer, a ProviderError or a function.`);
  const unknown = Object.keys(response).find((field) => !fields.has(field));
  if (unknown !== undefined)
    throw new LoopError(`There is no field \`${unknown}\` of ${name}. The fields are ${[...fields].join(", ")}.`);
}

/** A copy of a request that later changes do not reach. */
function recorded(config: StreamConfig): StreamConfig {
  const { model_config, ...request } = config;
  const { api_key: _key, ...data } = model_config;
  return { ...plainCopy(request), model_config: modelConfig(data) };
}

/** The value of a promise. Rejects with `Cancelled` when the token is cancelled. */
function untilCancelled<T>({ signal }: CancellationToken, value: PromiseLike<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(ProviderError.cancelled());
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    const settle =
      <V>(then: (value: V) => void) =>
      (settled: V): void => {
        signal.removeEventListener("abort", stop);
        then(settled);
      };
    value.then(settle(resolve), settle(reject));
  });
}

function messageOf({
  thinking,
  text,
  tool_calls = [],
  error_message,
  usage = {},
  ...answer
}: MockAnswer): AssistantMessage {
  const whole = typeof text === "string" ? text : text?.join("");
  const content: Content[] = [
    ...(thinking === undefined ? [] : [{ type: "thinking" as const, thinking }]),
    ...(whole === undefined ? [] : [{ type: "text" as const, text: whole }]),
    ...tool_calls.map(({ id, name, arguments: given }, at) => ({
      type: "toolCall" as const,
      id: id ?? `mock-tool-${at}`,
      name,
      arguments: structuredClone(given),
    })),
  ];
  const { input = 0, output = 0, cache_read = 0, cache_write = 0 } = usage;
  const total_tokens = input + output + cache_read + cache_write;
  return {
    role: "assistant",
    content,
    stop_reason: answer.stop_reason ?? (tool_calls.length > 0 ? "toolUse" : "stop"),
    model: "mock",
    provider: "mock",
    usage: { ...zeroUsage, total_tokens, ...usage },
    timestamp: Date.now(),
    ...(error_message === undefined ? {} : { error_message }),
  };
}

function eventsOf({ text }: MockAnswer, content: readonly Content[]): StreamEvent[] {
  return content.flatMap((block, content_index): StreamEvent[] => {
    switch (block.type) {
      case "thinking":
        return [{ type: "ThinkingDelta", content_index, delta: block.thinking }];
      case "text":
        return (typeof text === "string" ? [text] : (text ?? [])).map((delta) => ({
          type: "TextDelta",
          content_index,
          delta,
        }));
      case "toolCall":
        return [
          { type: "ToolCallStart", content_index, id: block.id, name: block.name },
          { type: "ToolCallEnd", content_index },
        ];
      case "image":
        return [];
    }
  });
}
