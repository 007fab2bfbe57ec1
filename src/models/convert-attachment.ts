// Converts images and files to a form that a provider accepts: unchanged, as their text, or as one line that names the file. Invariant: the
// provider's package never receives a file for which it throws.

import type { LanguageModelV3FilePart, LanguageModelV3TextPart } from "@ai-sdk/provider";

import type { FilePart, ImagePart } from "#contract/content.ts";
import { describePart } from "#core/describe-part.ts";
import { fromBase64 } from "#lib/base64.ts";
import { decodeText, isTextType } from "#lib/text-type.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import type { ProviderProfile } from "./provider/provider-profile.ts";

type Converted = LanguageModelV3FilePart | LanguageModelV3TextPart;

function source(part: ImagePart | FilePart): string | URL | null {
  if (part.data !== undefined) return part.data;
  return part.url !== undefined && URL.canParse(part.url) ? new URL(part.url) : null;
}

/** An image or file for a user message (decision 19: `vision: false` turns images into text lines). */
export function convertAttachment(
  part: ImagePart | FilePart,
  model: AnyModelDefinition,
  { fileTypes, filesByUrl }: ProviderProfile,
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
  if (!fileTypes.test(mediaType) || (!filesByUrl && typeof data !== "string")) return line;
  const filename = part.type === "file" ? part.name : undefined;
  return { type: "file", mediaType, data, ...(filename === undefined ? {} : { filename }) };
}
