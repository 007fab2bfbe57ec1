// Converts tool calls and their results to text, for a request that offers no tools although its transcript has tool calls. Models without
// function calling cannot read them, and Anthropic refuses calls of tools that the request does not define. Invariant: calls and results
// keep their position and their content, and no tool call or tool result part remains.

import type { ModelMessage, ModelRequest } from "#core/ports/model-port.ts";
import type { StoredPart } from "#core/record/record.ts";
import { textOrJson } from "#lib/json-value.ts";

import type { ProviderProfile } from "./provider/provider-profile.ts";

/** The messages of a request in a form that can be sent: unchanged, or with tool calls and their results as text. */
export function sendableMessages(request: ModelRequest, profile: ProviderProfile): ModelMessage[] {
  const { capabilities, model } = request.model;
  const needsTools = profile.needsToolDefinitions?.(model) ?? false;
  const sendsCalls = capabilities?.functionCalling !== false && (!needsTools || request.tools.length > 0);
  return sendsCalls ? request.messages : request.messages.map(withCallsAsText);
}

function withCallsAsText(message: ModelMessage): ModelMessage {
  if (message.role !== "tool") return { ...message, parts: message.parts.map(callAsText) };
  const { name, result, parts } = message;
  const content = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const text = result?.status === "error" ? `Error: ${result.error ?? content}` : (result?.result ?? content);
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

function callAsText(part: StoredPart): StoredPart {
  if (part.type !== "tool_call") return part;
  return { type: "text", text: `[called ${part.name} with ${textOrJson(part.arguments)}]` };
}
