// Configs of models that the local server answers with recorded bytes, one for each protocol, and what the server received.

import { afterAll, beforeAll } from "vitest";

import type { ModelPart, ModelPort, ModelRequest } from "#core/ports/model-port.ts";
import type { ApiProtocol } from "#facade/phi/provider/api-protocol.ts";
import { ModelConfig, type ModelConfigFields } from "#facade/phi/provider/model-config.ts";
import { defaultCacheConfig } from "#facade/phi/provider/stream-provider.ts";
import type { StreamConfig, StreamEvent } from "#facade/phi/provider/stream-provider.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { startModelServer } from "../../../support/model-server/server.mjs";
import type { ModelServer } from "../../../support/model-server/server.mjs";

/** The key of every config, the token that the local server accepts for Vertex AI. A search for it finds a leak. */
export const key = "ya29.vertex-secret-0006";

/** The path of each protocol at the local server, and the factory of its configs. */
const served: Record<
  ApiProtocol,
  { path: string; create: (id: string, name: string, fields: ModelConfigFields) => ModelConfig }
> = {
  anthropic_messages: { path: "", create: ModelConfig.anthropic },
  openai_completions: { path: "/v1", create: ModelConfig.openai },
  openai_responses: { path: "/v1", create: ModelConfig.openaiResponses },
  azure_openai_responses: { path: "/openai/v1", create: ModelConfig.azureOpenai },
  google_generative_ai: { path: "", create: ModelConfig.google },
  google_vertex: { path: "/v1/projects/project/locations/global", create: ModelConfig.googleVertex },
  bedrock_converse_stream: { path: "", create: ModelConfig.bedrock },
};

export const protocolNames = Object.keys(served) as ApiProtocol[];

/** A request that the server received. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

/** The server of the tests of one file. */
export interface Served {
  config(api: ApiProtocol, model: string, fields?: ModelConfigFields): ModelConfig;
  /** The requests of the last config. */
  received(): Promise<Received[]>;
}

/** Starts the server for the tests of a file. */
export function serveModels(): Served {
  let server: ModelServer;
  let exchanges = 0;
  beforeAll(async () => {
    server = await startModelServer();
    console.log(`MODEL_SERVER_SEED=${server.seed}`);
  });
  afterAll(() => server.close());
  return {
    config(api, model, fields = {}) {
      const { path, create } = served[api];
      const headers = { "x-server-id": `loop-${(exchanges += 1)}`, ...fields.headers };
      return create(model, "A model", { api_key: key, base_url: `${server.url}${path}`, ...fields, headers });
    },
    received: async () => (await (await fetch(`${server.url}/__requests?id=loop-${exchanges}`)).json()) as Received[],
  };
}

/** A request with a tool. */
export function streamConfig(model_config: ModelConfig, more: Partial<StreamConfig> = {}): StreamConfig {
  return {
    model_config,
    system_prompt: "Be brief.",
    messages: [{ role: "user", content: [{ type: "text", text: "How is the weather?" }], timestamp: 1 }],
    tools: [
      {
        name: "get_weather",
        description: "The weather of a city.",
        parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      },
    ],
    thinking_level: "Off",
    max_tokens: null,
    temperature: null,
    cache_config: defaultCacheConfig(),
    ...more,
  };
}

/** A sender that keeps the events. */
export function collector(): { events: StreamEvent[]; send: (event: StreamEvent) => void } {
  const events: StreamEvent[] = [];
  return { events, send: (event) => void events.push(event) };
}

/** A request of the core. */
export function modelRequest(model: AnyModelDefinition, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model,
    system: "Be brief.",
    messages: [
      {
        id: "m1",
        role: "user",
        parts: [{ type: "text", text: "How is the weather?" }],
        name: null,
        tool_call_id: null,
        result: null,
      },
    ],
    tools: streamConfig(ModelConfig.local("http://localhost", "m")).tools,
    toolChoice: "auto",
    parallelToolCalls: true,
    reasoning: null,
    temperature: null,
    maxTokens: null,
    raw: false,
    ...more,
  };
}

/** The parts of an answer. */
export async function partsOf(
  port: ModelPort,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of port.stream(request, signal)) parts.push(part);
  return parts;
}

/** The id of a call without the name of the step that makes it unique. */
const ofProvider = (id: string): string => id.replace(/_[0-9a-f]{12}$/, "");

/** The blocks of an answer with the ids of its provider, and its end. Deltas are joined, and the positions of parts do not count. */
export function answerOf(parts: readonly ModelPart[]): { blocks: unknown[]; end: ModelPart | undefined } {
  const texts = new Map<number, string>();
  const blocks: [number, unknown][] = [];
  for (const part of parts) {
    switch (part.type) {
      case "text_delta":
      case "thinking_delta":
      case "media_delta":
        texts.set(part.index, (texts.get(part.index) ?? "") + part.delta);
        break;
      case "text_end":
      case "thinking_end":
      case "media_end":
        blocks.push([part.index, { ...part, text: texts.get(part.index) ?? "" }]);
        break;
      case "toolcall_end":
        blocks.push([part.index, { ...part, id: ofProvider(part.id) }]);
        break;
      default:
    }
  }
  return { blocks: blocks.sort(([a], [b]) => a - b).map(([, block]) => block), end: parts.at(-1) };
}
