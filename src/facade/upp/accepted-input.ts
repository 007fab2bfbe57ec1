// Checks whether a model can read a block of a user's message. Only the code of providers imports this file, so a program that imports no
// provider does not contain it.

import { fromBase64 } from "#lib/base64.ts";
import { decodeText, isTextType } from "#lib/text-type.ts";
import { acceptsType, imageType, type AcceptedFiles } from "#models/provider/accepted-files.ts";

import type { MediaBlock } from "./content-block.ts";
import { userPart } from "./content-part.ts";
import type { LLMCapabilities } from "./model-reference.ts";

/** Returns the reason why a model cannot read a block; null if it can. `files` is null for a provider that answers in this process. */
export function problemOfBlock(
  block: MediaBlock,
  files: AcceptedFiles | null,
  capabilities: LLMCapabilities,
): string | null {
  if (isTextDocument(block)) return problemOfText(block);
  const { type, mimeType } = block;
  const group = groupOf(mimeType);
  if (type !== "document" && type !== "binary" && type !== group) return `its media type has to begin with "${type}/"`;
  const refused = files === null ? null : problemOfFile(mimeType, isUrl(block), files);
  return refused ?? (capabilities[`${group}Input`] ? null : `its capability ${group}Input is false`);
}

function isUrl(block: MediaBlock): boolean {
  return "source" in block && block.source.type === "url";
}

/** Whether the block is sent to the model as text. */
function isTextDocument(block: MediaBlock): boolean {
  if (block.type === "document" && block.source.type === "text") return true;
  return (block.type === "document" || block.type === "binary") && isTextType(block.mimeType) && !isUrl(block);
}

function problemOfText(block: MediaBlock): string | null {
  const part = userPart(block);
  const bytes = "data" in part && part.data !== undefined ? fromBase64(part.data) : null;
  return bytes !== null && decodeText(bytes) !== null ? null : "its bytes are not a text in UTF-8";
}

function problemOfFile(mimeType: string, asUrl: boolean, files: AcceptedFiles): string | null {
  const { bytes, urls, images = [] } = files;
  if (groupOf(mimeType) === "image")
    return imageType(files, mimeType) === null ? `its API accepts ${images.join(", ")}` : null;
  if (acceptsType(asUrl ? urls : bytes, mimeType)) return null;
  if (asUrl && acceptsType(bytes, mimeType)) return "its API accepts this type as bytes, and not as a URL";
  const types = asUrl ? ["images", ...urls] : ["images", "texts", ...bytes];
  return `its API accepts ${types.join(", ")}${asUrl ? " as URLs" : ""}`;
}

/** Returns the group of a media type, which is the beginning of the name of a capability, such as `audioInput`. */
function groupOf(mimeType: string): "image" | "audio" | "video" | "document" {
  const [group] = mimeType.split("/");
  return group === "image" || group === "audio" || group === "video" ? group : "document";
}
