// A tool's answer, as a provider is sent it. Invariant: an error is always recognisable as one, by the provider's own
// flag or, where it has none, by the first word.

import type { LanguageModelV3ToolResultPart } from "@ai-sdk/provider";

import { describePart } from "#core/describe-part.ts";
import type { ModelMessage } from "#core/ports/model-port.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { wireCallId } from "./call-ids.ts";
import type { NetworkProvider, ProviderSettings } from "./provider-settings.ts";

type Output = LanguageModelV3ToolResultPart["output"];
type Content = Extract<Output, { type: "content" }>["value"][number];

// Whose results may hold images beside text.
const takesImages: Record<NetworkProvider, boolean> = {
  openai: false,
  "openai-responses": false,
  "openai-compatible": false,
  anthropic: true,
  google: true,
  openrouter: false,
};

/** True where the result itself can hold images: an error is text at every provider. */
export function resultHoldsImages({ result }: ModelMessage, provider: NetworkProvider): boolean {
  return takesImages[provider] && result?.status !== "error";
}

function errorOutput(text: string, provider: NetworkProvider): Output {
  if (provider === "anthropic") return { type: "error-text", value: text };
  return { type: "error-text", value: /^\W*error/i.test(text) ? text : `Error: ${text}` };
}

function attachments(message: ModelMessage, model: AnyModelDefinition, provider: NetworkProvider): Content[] {
  const contents: Content[] = [];
  for (const part of message.parts) {
    if (part.type !== "image" && part.type !== "file") continue;
    const { data } = part;
    const isImage = part.mime_type.startsWith("image/");
    if (data !== undefined && isImage && resultHoldsImages(message, provider) && model.capabilities?.vision !== false) {
      contents.push({ type: "image-data", data, mediaType: part.mime_type });
    } else contents.push({ type: "text", text: describePart(part) });
  }
  return contents;
}

function output(message: ModelMessage, model: AnyModelDefinition, provider: NetworkProvider): Output {
  const { result } = message;
  const extra = attachments(message, model, provider);
  const lines = extra.map((content) => (content.type === "text" ? content.text : ""));
  if (result?.status === "error") {
    const text = result.error ?? result.result ?? "The tool failed without saying why.";
    return errorOutput([text, ...lines].join("\n"), provider);
  }
  const said = message.parts.filter((part) => part.type === "text").map((part) => part.text);
  const text = result?.result ?? said.join("\n");
  if (extra.some((content) => content.type !== "text")) {
    return { type: "content", value: text === "" ? extra : [{ type: "text", text }, ...extra] };
  }
  return { type: "text", value: [text, ...lines].filter((line) => line !== "").join("\n") };
}

/** The result part of a tool message. `toolNames` finds the tool of a call whose message does not name it. */
export function convertToolResult(
  message: ModelMessage,
  toolNames: ReadonlyMap<string, string>,
  { model, to }: { model: AnyModelDefinition; to: ProviderSettings },
): LanguageModelV3ToolResultPart {
  const callId = message.tool_call_id ?? "";
  return {
    type: "tool-result",
    toolCallId: wireCallId(callId, to),
    toolName: toolNames.get(callId) ?? message.name ?? "tool",
    output: output(message, model, to.provider),
  };
}
