// Converts images and files to a form that a provider accepts: unchanged, as their text, or as one line that names the file. Invariant: the
// provider's package never receives a file for which it throws.

import type { LanguageModelV3FilePart, LanguageModelV3TextPart } from "@ai-sdk/provider";

import type { FilePart, ImagePart } from "#contract/content.ts";
import { describePart } from "#core/request/describe-part.ts";
import { fromBase64 } from "#lib/base64.ts";
import { nameOfType } from "#lib/file-name.ts";
import { decodeText, isTextType } from "#lib/text-type.ts";
import { isVisible } from "#lib/visible-text.ts";
import type { AnyModelDefinition } from "#spec/index.ts";

import { acceptsImageUrl, acceptsType, imageType } from "./provider/accepted-files.ts";
import type { ProviderProfile } from "./provider/provider-profile.ts";

type Converted = LanguageModelV3FilePart | LanguageModelV3TextPart;

function source(part: ImagePart | FilePart): string | URL | null {
  // APIs refuse a file without bytes.
  if (part.data !== undefined) return part.data === "" ? null : part.data;
  return part.url !== undefined && URL.canParse(part.url) ? new URL(part.url) : null;
}

/** An image or file for a user message (decision 19: `vision: false` turns images into text lines). */
export function convertAttachment(
  part: ImagePart | FilePart,
  model: AnyModelDefinition,
  { files, needsFileNames }: ProviderProfile,
): Converted {
  const line: LanguageModelV3TextPart = { type: "text", text: describePart(part) };
  const data = source(part);
  if (data === null) return line;
  const mediaType = part.mime_type;
  if (mediaType.startsWith("image/")) {
    const isSent = model.capabilities?.vision !== false && (typeof data === "string" || acceptsImageUrl(files, data));
    const type = isSent ? imageType(files, mediaType) : null;
    return type === null ? line : { type: "file", mediaType: type, data };
  }
  const filename = part.name ?? (needsFileNames === true ? nameOfType("file", mediaType) : undefined);
  const named = filename === undefined ? {} : { filename };
  if (isTextType(mediaType) && typeof data === "string") {
    const bytes = fromBase64(data);
    const text = bytes === null ? null : decodeText(bytes);
    if (text === null || !isVisible(text)) return line;
    if (!acceptsType(files.bytes, "text/plain")) return { type: "text", text: `${line.text}\n${text}` };
    return { type: "file", mediaType: "text/plain", data, ...named };
  }
  if (!acceptsType(typeof data === "string" ? files.bytes : files.urls, mediaType)) return line;
  return { type: "file", mediaType, data, ...named };
}
