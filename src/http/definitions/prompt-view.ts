// A prompt as the API shows it.

import type { PromptView } from "#contract/definition.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { argumentsJsonSchema } from "#lib/json-schema.ts";
import type { AnyPromptDefinition, ReasoningConfig } from "#spec/prompt.ts";

/** The view. */
export function promptView(prompt: AnyPromptDefinition): PromptView {
  return {
    name: prompt.name,
    tool_description: prompt.toolDescription,
    model: prompt.model,
    prompt: asJson(prompt.prompt),
    tools: (prompt.tools ?? []).map(asJson),
    include_chat: prompt.includeChat ?? false,
    include_past_tools: prompt.includePastTools ?? false,
    parallel_tool_calls: prompt.parallelToolCalls ?? false,
    tool_choice: prompt.toolChoice ?? "auto",
    reasoning: prompt.reasoning === undefined ? null : reasoningView(prompt.reasoning),
    input_schema: prompt.requiredSchema === undefined ? null : asJsonObject(argumentsJsonSchema(prompt.requiredSchema)),
  };
}

function reasoningView({ effort, maxTokens, exclude, include }: ReasoningConfig): JsonObject {
  return {
    effort: effort ?? null,
    max_tokens: maxTokens ?? null,
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
