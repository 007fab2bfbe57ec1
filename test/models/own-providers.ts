// Two providers of a project over the model server: one over a package of the AI SDK, and one that is a function. Both use Chat Completions, so
// the fixtures of OpenAI are their answers.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { inject } from "vitest";

import { withProvider } from "#models/provider/attached-provider.ts";
import { ownProfile } from "#models/provider/own/own-profile.ts";
import {
  defineProvider,
  type AnyModelDefinition,
  type ProviderContext,
  type ProviderDefinition,
  type ProviderMessage,
  type ProviderPart,
  type ProviderRequest,
} from "#spec/index.ts";

export const ownFile = "agents/providers/own.ts";

/** A model with a provider of the project. */
export function ownModel(definition: ProviderDefinition, more: Partial<AnyModelDefinition> = {}): AnyModelDefinition {
  const model = { name: "own model", provider: definition.name as "test", model: "m-1", ...more };
  return withProvider(model, ownProfile(definition, ownFile));
}

const address = (): string => `${inject("modelServer")}/v1`;

export const ownSdk = defineProvider({
  name: "own_sdk",
  optionsName: "openaiCompatible",
  model: (modelId, { fetch }) =>
    createOpenAICompatible({ name: "own", baseURL: address(), apiKey: "own-secret-0005", includeUsage: true, fetch })(
      modelId,
    ),
});

/** A provider that sends Chat Completions itself. `headers` are added to its requests. */
export function ownFunction(headers: Record<string, string> = {}): ProviderDefinition {
  return defineProvider({
    name: "own_function",
    stream: (request, context) => chat(request, { ...context, headers }),
  });
}

async function* chat(
  request: ProviderRequest,
  { fetch, headers }: ProviderContext & { headers: Record<string, string> },
): AsyncGenerator<ProviderPart> {
  const response = await fetch(`${address()}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer own-secret-0005", ...headers },
    body: JSON.stringify({
      model: request.model,
      messages: [{ role: "system", content: request.system }, ...request.messages.map(sentMessage)],
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  if (!response.ok || response.body === null) throw new Error(await response.text());
  const calls = new Map<number, { id: string; name: string; text: string }>();
  let reason: string | null = null;
  for await (const chunk of chunksOf(response.body)) {
    const [choice] = chunk.choices ?? [];
    if (choice?.delta?.reasoning_content) yield { type: "thinking", text: choice.delta.reasoning_content };
    if (choice?.delta?.content) yield { type: "text", text: choice.delta.content };
    for (const piece of choice?.delta?.tool_calls ?? []) {
      const call = calls.get(piece.index) ?? { id: piece.id ?? "", name: piece.function?.name ?? "", text: "" };
      calls.set(piece.index, { ...call, text: call.text + (piece.function?.arguments ?? "") });
    }
    reason = choice?.finish_reason ?? reason;
    if (chunk.usage) {
      const cacheRead = chunk.usage.prompt_tokens_details?.cached_tokens ?? 0;
      const { prompt_tokens, completion_tokens } = chunk.usage;
      yield { type: "usage", input: prompt_tokens - cacheRead, output: completion_tokens, cacheRead };
    }
  }
  // The connection ended before the answer was complete.
  if (reason === null) return;
  for (const { id, name, text } of calls.values()) yield { type: "tool_call", id, name, arguments: text };
  yield { type: "finish", reason: reason as "stop" };
}

function sentMessage(message: ProviderMessage): object {
  if (message.role === "system") return { role: "system", content: message.text };
  const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (message.role === "tool") return { role: "tool", tool_call_id: message.callId, content: text };
  if (message.role === "user") return { role: "user", content: text };
  const calls = message.content.flatMap((part) =>
    part.type === "tool_call"
      ? [{ id: part.id, type: "function", function: { name: part.name, arguments: JSON.stringify(part.arguments) } }]
      : [],
  );
  return { role: "assistant", content: text, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

interface Chunk {
  choices?: {
    delta?: {
      content?: string | null;
      reasoning_content?: string | null;
      tool_calls?: { index: number; id?: string; function?: { name?: string; arguments?: string } }[];
    };
    finish_reason?: string | null;
  }[];
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    prompt_tokens_details?: { cached_tokens?: number };
  } | null;
}

function readChunk(data: string): Chunk {
  try {
    return JSON.parse(data) as Chunk;
  } catch (cause) {
    // The status of a server that failed, so that the request is sent again.
    throw Object.assign(new Error("The server sent an event that is not JSON.", { cause }), { statusCode: 502 });
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Chunk> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true });
    const lines = text.split(/\r\n|\r|\n/);
    text = lines.pop() ?? "";
    for (const line of lines) {
      const data = line.replace(/^data: ?/, "");
      if (data.startsWith("{")) yield readChunk(data);
    }
  }
}
