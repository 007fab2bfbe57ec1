// Images and files, as a provider can bear them: as they are, as the text they hold, or as a line that names them.
// Invariant: nothing is handed to a provider package that it would refuse with an exception.

import type { LanguageModelV3FilePart, LanguageModelV3TextPart } from "@ai-sdk/provider";

import type { FilePart, ImagePart } from "#contract/content.ts";
import { describePart } from "#core/describe-part.ts";
import { fromBase64 } from "#lib/base64.ts";
import { decodeText, isTextType } from "#lib/text-type.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import type { NetworkProvider } from "./provider-settings.ts";

type Converted = LanguageModelV3FilePart | LanguageModelV3TextPart;

// File types other than images that each provider's package sends. The packages for Chat Completions take them as bytes, not as URLs.
const fileTypes: Record<NetworkProvider, RegExp> = {
  openai: /^(application\/pdf|audio\/(wav|mp3|mpeg))$/,
  "openai-compatible": /^(application\/pdf|audio\/(wav|mp3|mpeg))$/,
  "openai-responses": /^application\/pdf$/,
  anthropic: /^application\/pdf$/,
  google: /^(application\/pdf|audio\/|video\/)/,
  openrouter: /^application\/pdf$/,
};

function source(part: ImagePart | FilePart): string | URL | null {
  if (part.data !== undefined) return part.data;
  return part.url !== undefined && URL.canParse(part.url) ? new URL(part.url) : null;
}

/** An image or file for a user message (decision 19: `vision: false` turns images into text lines). */
export function convertAttachment(
  part: ImagePart | FilePart,
  model: AnyModelDefinition,
  provider: NetworkProvider,
): Converted {
  const line: LanguageModelV3TextPart = { type: "text", text: describePart(part) };
  const data = source(part);
  if (data === null) return line;
  const mediaType = part.mime_type;
  if (mediaType.startsWith("image/")) {
    return model.capabilities?.vision === false ? line : { type: "file", mediaType, data };
  }
  if (isTextType(mediaType) && typeof data === "string") {
    const bytes = fromBase64(data);
    const text = bytes === null ? null : decodeText(bytes);
    return text === null ? line : { type: "text", text: `${line.text}\n${text}` };
  }
  if (!fileTypes[provider].test(mediaType)) return line;
  if ((provider === "openai" || provider === "openai-compatible") && typeof data !== "string") return line;
  const filename = part.type === "file" ? part.name : undefined;
  return { type: "file", mediaType, data, ...(filename === undefined ? {} : { filename }) };
}
