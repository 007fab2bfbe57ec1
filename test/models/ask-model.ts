// The base of the tests of the model port: a port that sends its requests to the model server, a plain request, and functions that read an
// answer.

import { env as workerEnv } from "cloudflare:workers";
import { inject } from "vitest";

import type { ModelMessage, ModelPart, ModelPort, ModelRequest } from "#core/ports/model-port.ts";
import { createModelPort, type ModelPortOptions } from "#models/create-model-port.ts";
import { addClouds } from "#models/provider/clouds.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { checkedFetch } from "../support/wire-rules/checked-fetch.ts";
import { ownFunction, ownModel, ownSdk } from "./own-providers.ts";

addClouds();

/** The protocols, each by the provider that defines it. */
export type Wire = "openai" | "openai-responses" | "anthropic" | "google" | "openrouter" | "bedrock";

/** The providers by name, and the protocol of each one. A provider with two protocols has two names. */
const wires = {
  openai: "openai",
  "openai-responses": "openai-responses",
  anthropic: "anthropic",
  google: "google",
  openrouter: "openrouter",
  bedrock: "bedrock",
  azure: "openai-responses",
  "azure-chat": "openai",
  vertex: "google",
  "vertex-claude": "anthropic",
} as const satisfies Record<string, Wire>;

export type Provider = keyof typeof wires;
export const providers = Object.keys(wires) as Provider[];

/** The protocol of a provider. */
export function wireOf(provider: Exclude<AnyProvider, "workers-ai">): Wire {
  // The providers of the tests' project speak Chat Completions.
  return provider === "own_sdk" || provider === "own_function" ? "openai" : wires[provider];
}

/** A provider that is reached over the network, by the Worker's binding, or by code of a project. */
export type AnyProvider = Provider | "workers-ai" | OwnProvider;
type OwnProvider = "own_sdk" | "own_function";

/** Keys in the form of real keys, so that a search for them finds a leak. */
export const keys = {
  OPENAI_API_KEY: "sk-test-openai-0001",
  ANTHROPIC_API_KEY: "anthropic-secret-0002",
  GOOGLE_API_KEY: "google-secret-0003",
  OPENROUTER_API_KEY: "openrouter-secret-0004",
  AZURE_API_KEY: "azure-secret-0005",
  GOOGLE_VERTEX_ACCESS_TOKEN: "ya29.vertex-secret-0006",
  AWS_BEARER_TOKEN_BEDROCK: "bedrock-secret-0006",
};

export function serverEnv(url: string): Record<string, unknown> {
  return {
    ...keys,
    // The runtime's own binding, which sends its requests to the model server.
    AI: Reflect.get(workerEnv, "AI") as unknown,
    OPENAI_BASE_URL: `${url}/v1`,
    ANTHROPIC_BASE_URL: `${url}/v1`,
    GOOGLE_BASE_URL: `${url}/v1beta`,
    OPENROUTER_BASE_URL: `${url}/api/v1`,
    AZURE_BASE_URL: `${url}/openai/v1`,
    GOOGLE_VERTEX_BASE_URL: `${url}/v1/projects/project/locations/global`,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url,
  };
}

/** A port whose providers all lead to the model server. */
export function serverPort(options: Partial<ModelPortOptions> = {}): ModelPort {
  const { fetch: given = fetch, ...rest } = options;
  const env = serverEnv(inject("modelServer"));
  // A test that gives a fetch of its own tests what follows from its responses, so that fetch answers in place of the binding too.
  if (options.fetch !== undefined) env["AI"] = bindingOver(given);
  return createModelPort({ env, fetch: checkedFetch(given), ...rest });
}

/** A binding whose requests to the model server are sent by a fetch. */
function bindingOver(fetch: typeof globalThis.fetch) {
  return {
    run: (
      model: string,
      inputs: object,
      { signal, extraHeaders }: { signal?: AbortSignal; extraHeaders: HeadersInit },
    ) =>
      fetch(`${inject("modelServer")}/run`, {
        method: "POST",
        headers: extraHeaders,
        body: JSON.stringify({ ...inputs, model: model.replace(/^@cf\//, "") }),
        ...(signal === undefined ? {} : { signal }),
      }),
  };
}

export function model(
  provider: AnyModelDefinition["provider"] | Provider | OwnProvider,
  name: string,
  more: Partial<AnyModelDefinition> = {},
): AnyModelDefinition {
  if (provider === "azure-chat") return model("azure", name, { api: "chat", ...more });
  if (provider === "vertex-claude") {
    // The beginning of the id chooses Claude.
    const id = `claude-${(more.model ?? name).replace(/^claude-/, "")}`;
    return model("vertex", id, { ...more, model: id });
  }
  if (provider === "own_sdk") return ownModel(ownSdk, { model: name, ...more });
  if (provider === "own_function") {
    const { headers, ...rest } = more;
    return ownModel(ownFunction(headers), { model: name, ...rest });
  }
  return { name: `${provider} model`, provider, model: provider === "workers-ai" ? `@cf/${name}` : name, ...more };
}

export function message(role: ModelMessage["role"], more: Partial<ModelMessage> = {}): ModelMessage {
  return { id: null, role, parts: [], name: null, tool_call_id: null, result: null, ...more };
}

export function user(text: string): ModelMessage {
  return message("user", { id: "01900000-0000-7000-8000-000000000001", parts: [{ type: "text", text }] });
}

/** An assistant message that calls one tool, and the tool's result. */
export function callAndResult(id: string, name = "get_weather"): ModelMessage[] {
  return [
    message("assistant", { parts: [{ type: "tool_call", id, name, arguments: { city: "Oslo" } }] }),
    message("tool", { name, tool_call_id: id, result: { status: "success", result: "sunny" } }),
  ];
}

export function request(definition: AnyModelDefinition, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: definition,
    system: "Be brief.",
    messages: [user("Hello?")],
    tools: [],
    toolChoice: "auto",
    parallelToolCalls: true,
    reasoning: null,
    temperature: null,
    maxTokens: null,
    ...more,
  };
}

/** The parts of a stream, without the counts of chunks, which depend on the time at which bytes arrive. */
export async function collect(stream: AsyncIterable<ModelPart>): Promise<ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of stream) {
    const isEnd = part.type === "finish" || part.type === "error";
    parts.push(isEnd ? { ...part, chunks: undefined } : part);
  }
  return parts;
}

/** Parts without the raw chunks. */
export function emitted(parts: readonly ModelPart[]): ModelPart[] {
  return parts.filter((part) => part.type !== "raw");
}

/** Requests a case from the model server and reads the whole answer. */
export async function ask(
  provider: AnyProvider,
  name: string,
  more: Partial<ModelRequest> & { definition?: Partial<AnyModelDefinition> } = {},
): Promise<ModelPart[]> {
  const { definition, ...rest } = more;
  const requested = request(model(provider, `case:${name}`, definition), rest);
  return collect(serverPort().stream(requested, new AbortController().signal));
}

/** The summary of an answer's parts. */
export interface Answer {
  text: string;
  thinking: string;
  calls: { id: string; name: string; arguments: string }[];
  end: Extract<ModelPart, { type: "finish" | "error" }>;
}

export function readAnswer(parts: readonly ModelPart[]): Answer {
  const end = parts.at(-1);
  if (end?.type !== "finish" && end?.type !== "error") throw new Error("the stream did not end with finish or error");
  const joined = (type: "text_delta" | "thinking_delta"): string =>
    parts.map((part) => (part.type === type ? part.delta : "")).join("");
  const calls = parts
    .filter((part) => part.type === "toolcall_end")
    .map((part) => ({ id: part.id, name: part.name, arguments: part.arguments }));
  return { text: joined("text_delta"), thinking: joined("thinking_delta"), calls, end };
}
