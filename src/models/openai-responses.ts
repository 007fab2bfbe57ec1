// OpenAI's Responses API, at OpenAI and at other servers. Requests set `store: false`: each one sends the whole conversation.
// The server returns reasoning encrypted; it is stored with the message and sent back to the same server only.

import type { JSONObject } from "@ai-sdk/provider";

import type { JsonObject } from "#contract/json.ts";
import type { ModelRequest } from "#core/ports/model-port.ts";

/** The options of a request, without those of reasoning. */
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
 * The part of the package's metadata that is stored with a block. Item ids of texts and calls are dropped, because the server
 * stores no items. Reasoning that has neither encrypted content nor a summary is dropped too.
 */
export function keptOfResponses(kind: "text" | "thinking" | "toolcall", own: JsonObject, empty: boolean): JsonObject {
  const filled = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null));
  if (kind === "thinking") return empty && filled["reasoningEncryptedContent"] === undefined ? {} : filled;
  const { itemId: _stored, annotations: _cited, ...kept } = filled;
  return kept;
}
