// The bytes of a case as the model server sends them, for tests that pass them to the port directly.

import { inject } from "vitest";

import type { AnyProvider } from "./ask-model.ts";

const paths: Record<AnyProvider, (name: string) => string> = {
  openai: () => "/v1/chat/completions",
  "openai-responses": () => "/v1/responses",
  anthropic: () => "/v1/messages",
  google: (name) => `/v1beta/models/case:${name}:streamGenerateContent`,
  "workers-ai": () => "/v1/chat/completions",
  bedrock: (name) => `/model/case:${name}/converse-stream`,
  openrouter: () => "/api/v1/chat/completions",
};

/** The complete answer of a case. */
export async function bytesOf(provider: AnyProvider, name: string): Promise<Uint8Array> {
  const body = JSON.stringify({ model: `case:${name}` });
  const headers = { authorization: "Bearer any" };
  const response = await fetch(inject("modelServer") + paths[provider](name), { method: "POST", headers, body });
  return new Uint8Array(await response.arrayBuffer());
}
