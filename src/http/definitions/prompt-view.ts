// A prompt as the API shows it.

import type { PromptView } from "#contract/definition.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import type { AnyPromptDefinition, ReasoningConfig } from "#spec/prompt.ts";

/** The view. */
export function promptView(prompt: AnyPromptDefinition, file: string | null): PromptView {
  return {
    name: prompt.name,
    file,
    toolDescription: prompt.toolDescription,
    model: prompt.model,
    prompt: asJson(prompt.prompt),
    tools: (prompt.tools ?? []).map(asJson),
    includeChat: prompt.includeChat ?? false,
    includePastTools: prompt.includePastTools ?? false,
    parallelToolCalls: prompt.parallelToolCalls ?? false,
    toolChoice: prompt.toolChoice ?? "auto",
    recentImageThreshold: prompt.recentImageThreshold ?? 10,
    reasoning: prompt.reasoning === undefined ? null : reasoningView(prompt.reasoning),
    requiredSchema:
      prompt.requiredSchema === undefined ? null : asJsonObject(argumentsJsonSchema(prompt.requiredSchema)),
  };
}

function reasoningView({ effort, maxTokens, exclude, include }: ReasoningConfig): NonNullable<PromptView["reasoning"]> {
  return {
    effort: effort ?? null,
    maxTokens: maxTokens ?? null,
    exclude: exclude ?? false,
    include: include ?? false,
  };
}

/** Strings and plain objects of a definition are JSON already; going through text drops whatever is not. */
function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function asJsonObject(value: Record<string, unknown>): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
