// The port of a provider that a program implements. Each mistake of the provider is one failure that names the provider. No text of the provider
// that the port passes on contains the key or the values of headers.

import type { ModelFailure, ModelPart, ModelPort, ModelRequest } from "#core/ports/model-port.ts";
import { errorMessage } from "#lib/cut-text.ts";
import { createUniqueIds } from "#models/call-ids.ts";
import { failure } from "#models/classify-failure.ts";
import { reportsOverflow } from "#models/overflow-phrases.ts";
import { createRedact } from "#models/redact.ts";

import { CancellationToken } from "../cancellation-token.ts";
import { LoopError } from "../loop-error.ts";
import type { AssistantMessage } from "../loop-messages.ts";
import { messageOfModel } from "../message-codec.ts";
import { problemOfAnswer } from "./answer-check.ts";
import type { ModelConfig } from "./model-config.ts";
import { keyOf } from "./model-definition.ts";
import { ProviderError } from "./provider-error.ts";
import { idOf } from "./provider-id.ts";
import { MalformedAnswer, PushedAnswer } from "./pushed-answer.ts";
import { runProvider, type ProviderEntry } from "./running-provider.ts";
import { defaultCacheConfig } from "./stream-provider.ts";
import type { CacheConfig, StreamConfig, StreamProvider, ThinkingLevel } from "./stream-provider.ts";

/** The fields of `StreamConfig` that are the same for every request of a loop. */
export interface ProviderRequests {
  model_config: ModelConfig;
  /** Default: `off`. */
  thinking_level?: ThinkingLevel | undefined;
  cache_config?: CacheConfig | undefined;
}

/** The maximum number of UTF-16 units of a provider's text about a failure. */
const longestText = 500;

/** Creates the port. Its streams never throw. */
export function toModelPort(provider: StreamProvider, requests: ProviderRequests): ModelPort {
  const { model_config } = requests;
  const id = idOf(provider);
  const secrets = [keyOf(model_config) ?? "", ...Object.values(model_config.headers ?? {})];
  const redact = createRedact(secrets);
  const seen = new Set<string>();
  const safe = (text: string): string => redact(text).slice(0, longestText);

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
    received: () => void = () => {},
  ): AsyncGenerator<ModelPart> {
    const failed = (problem: string): ModelPart => ({
      type: "error",
      failure: failure("api", safe(sentence(id, problem))),
    });
    const unsupported = unsupportedOption(request);
    if (unsupported !== null) {
      yield failed(`cannot be asked for ${unsupported}`);
      return;
    }
    const answer = new PushedAnswer(id, uniqueIds(request, seen));
    const token = new CancellationToken(signal);
    const running = runProvider(provider, { id, config: () => streamConfig(request, requests, id), token, received });
    try {
      for (;;) {
        const entries = await running.next();
        for (const entry of entries) {
          if (signal.aborted) break;
          if ("event" in entry) {
            for (const part of answer.push(entry.event)) {
              yield part;
              if (signal.aborted) break;
            }
            continue;
          }
          for (const part of ended(entry, answer, { id, failed, safe })) yield part;
          return;
        }
        if (signal.aborted) {
          yield { type: "error", failure: aborted };
          return;
        }
      }
    } catch (thrown) {
      const problem = thrown instanceof MalformedAnswer ? thrown.message : `failed: ${errorMessage(thrown)}`;
      yield signal.aborted ? { type: "error", failure: aborted } : failed(problem);
    } finally {
      // Ends a provider that still works, and removes the listener of the signal.
      token.cancel();
    }
  }

  // Nothing is known about the silence of a provider, so it is given the longest time.
  return { stream, thinksInSilence: () => true };
}

/** A sentence about a provider. The text of an error may end with a full stop of its own. */
const sentence = (id: string, problem: string): string => `The provider "${id}" ${problem.replace(/\.$/, "")}.`;

const aborted = failure("aborted", "The model call was aborted.");

/** What a request asks for that a `StreamConfig` cannot express; null for a request that it can express. */
function unsupportedOption({ structure, toolChoice }: ModelRequest): string | null {
  if (structure !== undefined) return "a structured answer";
  return toolChoice === "required" ? "a forced call" : null;
}

function streamConfig(request: ModelRequest, requests: ProviderRequests, provider: string): StreamConfig {
  const { model_config, thinking_level = "Off", cache_config = defaultCacheConfig() } = requests;
  const now = Date.now();
  return {
    model_config,
    system_prompt: request.system,
    messages: request.messages.map((message) => messageOfModel(message, provider, now)),
    tools:
      request.toolChoice === "none"
        ? []
        : request.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    thinking_level,
    max_tokens: request.maxTokens,
    temperature: request.temperature,
    cache_config,
  };
}

/** A function that makes the ids of calls unique: an id that the conversation already has gets the name of the step. */
function uniqueIds(request: ModelRequest, seen: Set<string>): (id: string) => string {
  const known = new Set(
    request.messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool_call" ? [part.id] : []))),
  );
  const distinct = createUniqueIds(request);
  return (id) => {
    let unique = id;
    while (unique === "" || known.has(unique) || seen.has(unique)) unique = distinct(id);
    seen.add(unique);
    return unique;
  };
}

interface Naming {
  id: string;
  failed: (problem: string) => ModelPart;
  safe: (text: string) => string;
}

/** The last parts of a stream. Throws a MalformedAnswer for an answer that cannot be read. */
function ended(entry: Exclude<ProviderEntry, { event: unknown }>, answer: PushedAnswer, naming: Naming): ModelPart[] {
  const { last } = answer;
  if ("thrown" in entry) {
    const usage = last === null ? {} : { usage: last.message.usage };
    const failed = failureOf(entry.thrown, naming);
    return [{ type: "error", failure: failed, ...usage }];
  }
  const message = entry.answer ?? last?.message;
  if (message === undefined || message === null)
    throw new MalformedAnswer("ended without a message: its function `stream` has to resolve with the answer");
  const problem = problemOfAnswer(message);
  if (problem !== null) throw new MalformedAnswer(`ended with an answer that ${problem}`);
  const final = message as AssistantMessage;
  return [...answer.complete(final), endOf(final, last?.type === "Done", naming)];
}

function failureOf(thrown: unknown, { id, safe }: Naming): ModelFailure {
  if (thrown instanceof ProviderError && thrown.kind !== "Cancelled") {
    const found = thrown.toFailure();
    return { ...found, message: safe(found.message) };
  }
  if (thrown instanceof LoopError) return failure("api", safe(thrown.message));
  const problem =
    thrown instanceof ProviderError
      ? "ended its request as cancelled, and nothing had cancelled it"
      : `failed: ${errorMessage(thrown)}`;
  return failure("api", safe(sentence(id, problem)));
}

/** The end of an answer. `isDone`: the provider sent `Done`, so that an answer with an error is one that it refused to complete. */
function endOf(message: AssistantMessage, isDone: boolean, { id, safe }: Naming): ModelPart {
  const { stop_reason, error_message, usage, model, content } = message;
  const hasCalls = content.some(({ type }) => type === "toolCall");
  const finish = {
    type: "finish" as const,
    usage,
    reported_cost: null,
    model_id: model === "" ? null : (model ?? null),
  };
  switch (stop_reason) {
    case "stop":
    case "toolUse":
      return { ...finish, stop_reason: hasCalls ? "tool_calls" : "stop" };
    case "length":
      return { ...finish, stop_reason: "length" };
    case "aborted":
      return { type: "error", usage, failure: failure("api", safe(`The provider "${id}" aborted its answer.`)) };
    case "error": {
      const text = safe(error_message ?? `The provider "${id}" gave no reason.`);
      if (isDone && !hasCalls) return { ...finish, stop_reason: "content_filter", stop_detail: text };
      return { type: "error", usage, failure: failure(reportsOverflow(text) ? "overflow" : "api", text) };
    }
  }
}
