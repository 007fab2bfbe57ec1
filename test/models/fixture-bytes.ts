// The bytes of a case as the model server sends them, for tests that pass them to the port directly.

import { inject } from "vitest";

import type { Provider } from "./ask-model.ts";

const paths: Record<Provider, (name: string) => string> = {
  openai: () => "/v1/chat/completions",
  "openai-responses": () => "/v1/responses",
  anthropic: () => "/v1/messages",
  google: (name) => `/v1beta/models/case:${name}:streamGenerateContent`,
  openrouter: () => "/api/v1/chat/completions",
};

/** The complete answer of a case. */
export async function bytesOf(provider: Provider, name: string): Promise<Uint8Array> {
  const body = JSON.stringify({ model: `case:${name}` });
  const response = await fetch(inject("modelServer") + paths[provider](name), { method: "POST", body });
  return new Uint8Array(await response.arrayBuffer());
}
