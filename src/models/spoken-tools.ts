// Tool traffic as words, for a request that offers no tools although its transcript holds calls: a model that calls no
// functions would not know what they are, and Anthropic refuses calls of tools that the request does not define.
// Invariant: calls and results keep their place and what they say; nothing of them is left that a protocol would pair.

import type { ModelMessage, ModelRequest } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record.ts";

import type { NetworkProvider } from "./provider-settings.ts";

/** The messages of a request as they can be sent: as they are, or with their calls and results in words. */
export function sendableMessages(request: ModelRequest, provider: NetworkProvider): ModelMessage[] {
  const { capabilities, model } = request.model;
  const reachesAnthropic = provider === "anthropic" || (provider === "openrouter" && model.startsWith("anthropic/"));
  const native = capabilities?.functionCalling !== false && (!reachesAnthropic || request.tools.length > 0);
  return native ? request.messages : request.messages.map(spoken);
}

function spoken(message: ModelMessage): ModelMessage {
  if (message.role !== "tool") return { ...message, parts: message.parts.map(spokenCall) };
  const { name, result, parts } = message;
  const said = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const text = result?.status === "error" ? `Error: ${result.error ?? said}` : (result?.result ?? said);
  const files = parts.filter((part) => part.type === "image" || part.type === "file");
  return {
    ...message,
    role: "user",
    parts: [{ type: "text", text: `[result of ${name ?? "the tool"}]\n${text}` }, ...files],
    name: null,
    tool_call_id: null,
    result: null,
  };
}

function spokenCall(part: StoredPart): StoredPart {
  if (part.type !== "tool_call") return part;
  const given = typeof part.arguments === "string" ? part.arguments : JSON.stringify(part.arguments);
  return { type: "text", text: `[called ${part.name} with ${given}]` };
}
