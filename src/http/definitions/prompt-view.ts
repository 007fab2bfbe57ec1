// The JSON view of a prompt for clients.

import type { PromptView } from "#contract/definition.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import type { AnyPromptDefinition, ReasoningConfig } from "#spec/prompt.ts";

/** Returns the view. */
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

/** Converts strings and plain objects of a definition to JSON. The conversion through text drops functions and undefined values. */
function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

function asJsonObject(value: Record<string, unknown>): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}
