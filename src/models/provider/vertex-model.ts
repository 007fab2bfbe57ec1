// The language models of Vertex AI, loaded with the first request to it: addresses, headers, and the form of requests to Claude, which has the
// model in the address and the version of the API in the body.

import type { LanguageModelV3 } from "@ai-sdk/provider";

import { isObject } from "#lib/json-value.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import { GoogleGenerativeAILanguageModel } from "./google-package.ts";
import type { CallTarget } from "./provider-profile.ts";
import { googleToken } from "./vertex.ts";

type Fetch = typeof globalThis.fetch;

/** The header with the key or with a token that a variable has. None if the token is created. */
function accessHeaders({ to: { apiKey } }: CallTarget): Record<string, string> {
  if (apiKey === "") return {};
  return googleToken.test(apiKey) ? { authorization: `Bearer ${apiKey}` } : { "x-goog-api-key": apiKey };
}

/** Loads a model of Gemini. */
export function loadGemini(target: CallTarget, fetch: Fetch): LanguageModelV3 {
  let made = 0;
  return new GoogleGenerativeAILanguageModel(target.model.model, {
    // The package recognises Vertex AI by this name: it sends no ids of calls, which the API refuses.
    provider: "google.vertex.chat",
    baseURL: `${target.to.baseUrl ?? ""}/publishers/google`,
    headers: accessHeaders(target),
    generateId: () => `vertex-fc-${made++}`,
    fetch,
  });
}

/** The version of the Messages API at Vertex AI (https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai). */
const version = "vertex-2023-10-16";

/** Creates a fetch that sends the requests of Anthropic's package in the form of Vertex AI. */
function claudeFetch(fetch: Fetch, target: CallTarget): Fetch {
  const { model, to } = target;
  const url = `${to.baseUrl ?? ""}/publishers/anthropic/models/${encodeURIComponent(model.model)}:streamRawPredict`;
  const send = (_input: Parameters<Fetch>[0], init?: RequestInit): Promise<Response> => {
    const headers = new Headers(init?.headers);
    for (const name of ["x-api-key", "anthropic-version"]) headers.delete(name);
    for (const [name, value] of Object.entries(accessHeaders(target))) headers.set(name, value);
    const body: unknown = typeof init?.body === "string" ? parseOwnJson(init.body) : null;
    const { model: _inAddress, ...fields } = isObject(body) ? body : {};
    return fetch(url, { ...init, headers, body: JSON.stringify({ ...fields, anthropic_version: version }) });
  };
  return send as Fetch;
}

/** Loads a model of Claude. */
export async function loadClaude(target: CallTarget, fetch: Fetch): Promise<LanguageModelV3> {
  const { createAnthropic } = await import("@ai-sdk/anthropic");
  // The package needs a key, whose header is removed.
  return createAnthropic({ fetch: claudeFetch(fetch, target), baseURL: target.to.baseUrl ?? "", apiKey: "none" })(
    target.model.model,
  );
}
