// OpenAI's Responses API, at OpenAI and wherever else it is served. Nothing is stored there: the whole conversation is sent
// with each request, and reasoning comes encrypted, is kept with the message and goes back to the server that made it.

import type { JSONObject } from "@ai-sdk/provider";

import type { JsonObject } from "#contract/json.ts";
import type { ModelRequest } from "#core/ports/model-port.ts";

/** Its options besides reasoning. */
export function responsesOptions({ model, parallelToolCalls }: ModelRequest, hasTools: boolean): JSONObject {
  const { compat } = model;
  return {
    store: false,
    ...(hasTools && !parallelToolCalls ? { parallelToolCalls: false } : {}),
    ...(compat?.supportsReasoningEffort === true ? { forceReasoning: true } : {}),
    ...(compat?.supportsDeveloperRole === undefined
      ? {}
      : { systemMessageMode: compat.supportsDeveloperRole ? "developer" : "system" }),
  };
}

/**
 * What is kept of the package's metadata. Ids of texts and calls name stored items, of which there are none; reasoning
 * without its encrypted content is of no use later, unless its summary is shown.
 */
export function keptOfResponses(kind: "text" | "thinking" | "toolcall", own: JsonObject, empty: boolean): JsonObject {
  const filled = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null));
  if (kind === "thinking") return empty && filled["reasoningEncryptedContent"] === undefined ? {} : filled;
  const { itemId: _stored, annotations: _cited, ...kept } = filled;
  return kept;
}
