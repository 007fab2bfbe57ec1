// The JSON view of a model for clients. Address, headers and script are omitted, because they may contain secrets.

import type { ModelView } from "#contract/definition.ts";
import type { AnyModelDefinition } from "#spec/model.ts";

import type { Readiness } from "../dependencies.ts";

/** Returns the view. */
export function modelView(
  model: AnyModelDefinition,
  { ready, missing, file }: Readiness & { file: string | null },
): ModelView {
  const { vision, functionCalling, structuredOutputs } = model.capabilities ?? {};
  return {
    name: model.name,
    file,
    provider: model.provider,
    model: model.model,
    includedProviders: [...(model.includedProviders ?? [])],
    fallbacks: [...(model.fallbacks ?? [])],
    inputPrice: model.inputPrice ?? null,
    outputPrice: model.outputPrice ?? null,
    cachedPrice: model.cachedPrice ?? null,
    context_window: model.contextWindow ?? null,
    max_tokens: model.maxTokens ?? null,
    capabilities: {
      ...(vision === undefined ? {} : { vision }),
      ...(functionCalling === undefined ? {} : { functionCalling }),
      ...(structuredOutputs === undefined ? {} : { structuredOutputs }),
    },
    ready,
    missing,
  };
}
