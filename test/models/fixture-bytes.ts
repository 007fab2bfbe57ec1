// The bytes of a case as the model server sends them, for tests that pass them to the port directly, and the text of its events.

import { inject } from "vitest";

import { wireOf, type AnyProvider, type Wire } from "./ask-model.ts";

const paths: Record<Wire | "workers-ai", (name: string) => string> = {
  openai: () => "/v1/chat/completions",
  "openai-responses": () => "/v1/responses",
  anthropic: () => "/v1/messages",
  google: (name) => `/v1beta/models/case:${name}:streamGenerateContent`,
  "workers-ai": () => "/v1/chat/completions",
  bedrock: (name) => `/model/case:${name}/converse-stream`,
  openrouter: () => "/api/v1/chat/completions",
};

/** The complete answer of a case. `headers` steer the server. */
export async function bytesOf(
  provider: AnyProvider,
  name: string,
  steering: Record<string, string> = {},
): Promise<Uint8Array> {
  const body = JSON.stringify({ model: `case:${name}` });
  const headers = { authorization: "Bearer any", ...steering };
  const wire = provider === "workers-ai" ? provider : wireOf(provider);
  const response = await fetch(inject("modelServer") + paths[wire](name), { method: "POST", headers, body });
  return new Uint8Array(await response.arrayBuffer());
}

/** The events of a case as text, also those of a binary stream. */
export async function textOf(provider: AnyProvider, name: string): Promise<string> {
  return new TextDecoder().decode(await bytesOf(provider, name, { "x-server-text": "yes" }));
}
