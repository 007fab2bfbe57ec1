// This package's providers as `StreamProvider`s, one for each protocol, for programs that call or wrap a provider themselves. A loop without
// a provider of its own uses the same port without this conversion.

import type { ModelRequest } from "#core/ports/model-port.ts";

import { signalOf } from "../cancellation-token.ts";
import type { CancellationToken } from "../cancellation-token.ts";
import { LoopError } from "../loop-error.ts";
import type { AssistantMessage } from "../loop-messages.ts";
import { modelMessageOf } from "../message-codec.ts";
import { providerIds, type ApiProtocol } from "./api-protocol.ts";
import { modelConfig } from "./model-config.ts";
import { definitionOf } from "./model-definition.ts";
import { ProviderError } from "./provider-error.ts";
import { portOf, type ProviderConnection } from "./provider-port.ts";
import { StreamAnswer } from "./stream-answer.ts";
import type { StreamConfig, StreamProvider, StreamSender } from "./stream-provider.ts";

export type { ProviderConnection } from "./provider-port.ts";

/** Creates the provider of a protocol. */
export function profileProvider(api: ApiProtocol, connection?: ProviderConnection): StreamProvider {
  const id = providerIds[api];
  return { providerId: () => id, stream: (...request) => streamAnswer(api, connection, request) };
}

/** `anthropic`: Anthropic's Messages API. */
export const anthropicProvider = (connection?: ProviderConnection): StreamProvider =>
  profileProvider("anthropic_messages", connection);

/** `openai`: Chat Completions, of OpenAI and of other servers. */
export const openaiCompatProvider = (connection?: ProviderConnection): StreamProvider =>
  profileProvider("openai_completions", connection);

/** `openai_responses`: OpenAI's Responses API. */
export const openaiResponsesProvider = (connection?: ProviderConnection): StreamProvider =>
  profileProvider("openai_responses", connection);

/** `azure_openai`: the Responses API at Azure. */
export const azureOpenaiProvider = (connection?: ProviderConnection): StreamProvider =>
  profileProvider("azure_openai_responses", connection);

/** `google`: Google's Gemini API. */
export const googleProvider = (connection?: ProviderConnection): StreamProvider =>
  profileProvider("google_generative_ai", connection);

/** `google_vertex`: Vertex AI. */
export const googleVertexProvider = (connection?: ProviderConnection): StreamProvider =>
  profileProvider("google_vertex", connection);

/** `bedrock`: Amazon Bedrock's Converse API. */
export const bedrockProvider = (connection?: ProviderConnection): StreamProvider =>
  profileProvider("bedrock_converse_stream", connection);

async function streamAnswer(
  api: ApiProtocol,
  connection: ProviderConnection | undefined,
  [config, tx, cancel]: [StreamConfig, StreamSender, CancellationToken],
): Promise<AssistantMessage> {
  const model = modelConfig(config.model_config);
  if (model.api !== api)
    throw new LoopError(
      `The provider "${providerIds[api]}" uses the protocol ${api}, and \`model_config.api\` is "${model.api}".`,
    );
  const port = portOf(model, config.model_config, connection);
  const answer = new StreamAnswer({ model: model.id, provider: providerIds[api], timestamp: Date.now() });
  tx.send({ type: "Start" });
  for await (const part of port.stream(requestOf({ ...config, model_config: model }), signalOf(cancel))) {
    if (part.type === "finish") {
      const message = answer.finished(part);
      tx.send({ type: "Done", message });
      return message;
    }
    if (part.type === "error") {
      tx.send({ type: "Error", message: answer.failed(part.failure, part.usage) });
      throw ProviderError.fromFailure(part.failure);
    }
    const event = answer.add(part);
    if (event !== null) tx.send(event);
  }
  throw ProviderError.network("The model's answer ended before it was finished.");
}

function requestOf(config: StreamConfig): ModelRequest {
  const { model_config, thinking_level, cache_config, system_prompt, messages, tools, max_tokens, temperature } =
    config;
  return {
    model: definitionOf(model_config, { thinkingLevel: thinking_level, cacheConfig: cache_config }),
    system: system_prompt,
    messages: messages.map(modelMessageOf),
    tools,
    toolChoice: "auto",
    parallelToolCalls: true,
    reasoning: null,
    temperature,
    maxTokens: max_tokens,
    raw: false,
  };
}
