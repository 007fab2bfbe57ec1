// OpenAI's Responses API, at OpenAI and wherever else it is served. Nothing is stored there: the whole conversation is sent
// with each request, and reasoning comes encrypted, is kept with the message and goes back to the server that made it.

import type { JSONObject } from "@ai-sdk/provider";

import type { JsonObject } from "#contract/json.ts";
import type { ModelRequest } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record.ts";

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

function itemOf(part: StoredPart): { id: string; encrypted: boolean } | null {
  const own = part.provider_data?.data["openai"];
  if (part.type !== "thinking" || typeof own !== "object" || own === null || Array.isArray(own)) return null;
  const { itemId, reasoningEncryptedContent } = own;
  return typeof itemId === "string" ? { id: itemId, encrypted: typeof reasoningEncryptedContent === "string" } : null;
}

/**
 * The parts of a turn without reasoning that came unencrypted: the server keeps nothing, so it would look in vain for the
 * item that its id names. One item may be several parts, one for each summary; one of them carries what is encrypted.
 */
export function withoutLostReasoning(parts: readonly StoredPart[]): StoredPart[] {
  const items = parts.map((part) => itemOf(part));
  const encrypted = new Set(items.flatMap((item) => (item?.encrypted === true ? [item.id] : [])));
  return parts.filter((_part, at) => {
    const item = items[at];
    return item === null || item === undefined || encrypted.has(item.id);
  });
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
