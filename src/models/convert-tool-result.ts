// Converts a tool result to a form that a provider accepts. Invariant: an error is recognisable, by the provider's flag for errors or, if
// the provider has no flag, by the first word.

import type { LanguageModelV3ToolResultPart } from "@ai-sdk/provider";

import type { ModelMessage } from "#core/ports/model-port.ts";
import { describePart } from "#core/request/describe-part.ts";
import { isVisible } from "#lib/visible-text.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { acceptsType, imageType } from "./provider/accepted-files.ts";
import type { CallTarget, ProviderProfile } from "./provider/provider-profile.ts";

/** What is sent in place of a text without a visible character, where a text is required. */
export const noText = "(no text)";

type Output = LanguageModelV3ToolResultPart["output"];
type Content = Extract<Output, { type: "content" }>["value"][number];

/** Whether a result can hold images. An error is text at every provider. */
export function resultHoldsImages({ result }: ModelMessage, { imagesInToolResults }: ProviderProfile): boolean {
  return imagesInToolResults && result?.status !== "error";
}

function errorOutput(text: string, { flagsToolErrors }: ProviderProfile): Output {
  if (flagsToolErrors) return { type: "error-text", value: text };
  return { type: "error-text", value: /^\W*error/i.test(text) ? text : `Error: ${text}` };
}

function attachments(message: ModelMessage, model: AnyModelDefinition, profile: ProviderProfile): Content[] {
  const contents: Content[] = [];
  for (const part of message.parts) {
    if (part.type !== "image" && part.type !== "file") continue;
    const { data } = part;
    const isShown = resultHoldsImages(message, profile) && model.capabilities?.vision !== false;
    const type = part.mime_type.startsWith("image/") && isShown ? imageType(profile.files, part.mime_type) : null;
    const mediaType = part.mime_type;
    const isFile =
      profile.filesInToolResults === true &&
      message.result?.status !== "error" &&
      acceptsType(profile.files.bytes, mediaType);
    if (data !== undefined && data !== "" && type !== null)
      contents.push({ type: "image-data", data, mediaType: type });
    else if (data !== undefined && data !== "" && isFile)
      contents.push({
        type: "file-data",
        data,
        mediaType,
        ...(part.name === undefined ? {} : { filename: part.name }),
      });
    else contents.push({ type: "text", text: describePart(part) });
  }
  return contents;
}

function output(message: ModelMessage, model: AnyModelDefinition, profile: ProviderProfile): Output {
  const { result } = message;
  const extra = attachments(message, model, profile);
  const lines = extra.map((content) => (content.type === "text" ? content.text : ""));
  if (result?.status === "error") {
    const given = [result.error, result.result].find((text) => typeof text === "string" && isVisible(text));
    const text = given ?? "The tool failed without saying why.";
    return errorOutput([text, ...lines].join("\n"), profile);
  }
  const texts = message.parts.filter((part) => part.type === "text").map((part) => part.text);
  const text = result?.result ?? texts.join("\n");
  const visible = [text, ...lines].filter(isVisible);
  const images = extra.filter((content) => content.type !== "text");
  if (images.length > 0) {
    // One text: Google's package writes a result for each, and none for images alone.
    const shown = visible.length > 0 ? visible.join("\n") : profile.resultsNeedText === true ? noText : null;
    return { type: "content", value: shown === null ? images : [{ type: "text", text: shown }, ...images] };
  }
  return { type: "text", value: visible.length === 0 ? noText : visible.join("\n") };
}

/** The names of the calls in a prompt by their ids, and the ids that the prompt sends for them. */
export interface ToolCallNames {
  toolNames: ReadonlyMap<string, string>;
  wireId: (id: string) => string;
}

/** Converts a tool message to a result part. */
export function convertToolResult(
  message: ModelMessage,
  { model, to, toolNames, wireId }: CallTarget & ToolCallNames,
): LanguageModelV3ToolResultPart {
  const callId = message.tool_call_id ?? "";
  return {
    type: "tool-result",
    toolCallId: wireId(callId),
    toolName: toolNames.get(callId) ?? message.name ?? "tool",
    output: output(message, model, to.profile),
  };
}
