// Providers that a test writes, and the answers that they send.

import { expect } from "vitest";

import type { ModelPart } from "#core/ports/model-port.ts";
import type { AssistantMessage } from "#facade/phi/loop-messages.ts";
import { ModelConfig } from "#facade/phi/provider/model-config.ts";
import { modelsOf } from "#facade/phi/provider/models-of.ts";
import type { StreamProvider } from "#facade/phi/provider/stream-provider.ts";

import { grammarFaults } from "../../../models/grammar.ts";
import { key, modelRequest, partsOf } from "./served-models.ts";

/** The config of a model whose answers come from a provider of the test. */
export const customConfig = ModelConfig.anthropic("m-1", "M 1", {
  api_key: key,
  headers: { "x-token": "header-secret-1" },
});

/** A provider of one function. */
export function custom(stream: StreamProvider["stream"], id = "custom"): StreamProvider {
  return { providerId: () => id, stream };
}

/** The models of a loop with a provider of the test. */
export function modelsWith(provider: StreamProvider): ReturnType<typeof modelsOf> {
  return modelsOf({ modelConfig: customConfig, providerOverride: provider });
}

/** An answer. */
export function answer(content: AssistantMessage["content"], more: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: "assistant",
    content,
    stop_reason: content.some(({ type }) => type === "toolCall") ? "toolUse" : "stop",
    model: "m-1",
    provider: "custom",
    usage: { input: 3, output: 2, cache_read: 0, cache_write: 0, total_tokens: 5 },
    timestamp: 1,
    ...more,
  };
}

/** The content of one text. */
export const text: AssistantMessage["content"] = [{ type: "text", text: "Hello" }];

/** The parts of one answer of a provider. They have the grammar of a model's port. */
export async function partsWith(provider: StreamProvider, signal?: AbortSignal): Promise<ModelPart[]> {
  const { port, model } = modelsWith(provider);
  const parts = await partsOf(port, modelRequest(model), signal);
  expect(grammarFaults(parts)).toEqual([]);
  return parts;
}
