// Converts UPP's content blocks to message parts of the core: the blocks of user messages, and the blocks that tools return.

import type { StoredPart } from "#core/record/record.ts";
import { toBase64 } from "#lib/base64.ts";
import { isObject } from "#lib/json-value.ts";
import { isTextType } from "#lib/text-type.ts";

import { blocksText } from "./content-block.ts";
import type { DocumentBlock, ImageBlock, TextBlock, UserContent } from "./content-block.ts";

/** Converts a block of a user's message. */
export function userPart(block: UserContent): StoredPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return imagePart(block);
    case "document":
      return documentPart(block);
    case "audio":
    case "video":
    case "binary":
      return { type: "file", mime_type: block.mimeType, data: toBase64(block.data) };
  }
}

/** Converts an image. */
export function imagePart({ source, mimeType }: ImageBlock): StoredPart {
  const of = { type: "image", mime_type: mimeType } as const;
  if (source.type === "url") return { ...of, url: source.url };
  return { ...of, data: source.type === "bytes" ? toBase64(source.data) : source.data };
}

function documentPart({ source, mimeType, title }: DocumentBlock): StoredPart {
  const name = title === undefined ? {} : { name: title };
  if (source.type === "url") return { type: "file", mime_type: mimeType, url: source.url, ...name };
  if (source.type === "base64") return { type: "file", mime_type: mimeType, data: source.data, ...name };
  const type = isTextType(mimeType) ? mimeType : "text/plain";
  return { type: "file", mime_type: type, data: toBase64(new TextEncoder().encode(source.data)), ...name };
}

/** A result that consists of blocks: their text, and the parts of images and documents. */
export interface BlockResult {
  text: string;
  files: readonly StoredPart[];
  /** The result as JSON, with bytes in base64. */
  json: unknown;
}

type ResultBlock = TextBlock | ImageBlock | DocumentBlock;

/**
 * Reads a result that is a list of text, image and document blocks, or an object with such a list as its only property `content`. Returns
 * null for any other result, which is sent to the model as text or JSON.
 */
export function blockResult(result: unknown): BlockResult | null {
  const isWrapped = isObject(result) && Object.keys(result).length === 1;
  const list: unknown = isWrapped ? result["content"] : result;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isBlock)) return null;
  const blocks = list.map(inBase64);
  const files = blocks.filter(({ type }) => type !== "text").map(userPart);
  return { text: blocksText(blocks), files, json: isWrapped ? { content: blocks } : blocks };
}

/** Copies the block. The copy has the bytes in base64. */
function inBase64(block: ResultBlock): ResultBlock {
  if (block.type === "text") return { ...block };
  const { data } = block.source as { data?: unknown };
  const source = data instanceof Uint8Array ? { type: "base64" as const, data: toBase64(data) } : { ...block.source };
  return { ...block, source } as ResultBlock;
}

function isBlock(value: unknown): value is ResultBlock {
  if (!isObject(value)) return false;
  const { type, text, source, mimeType } = value;
  if (type === "text") return typeof text === "string";
  return (
    (type === "image" || type === "document") && isObject(source) && typeof mimeType === "string" && hasData(source)
  );
}

function hasData({ type, data, url }: Record<string, unknown>): boolean {
  return type === "url" ? typeof url === "string" : typeof data === "string" || data instanceof Uint8Array;
}

/** Whether a result has an image or a document as a URL. Providers accept only bytes in results. */
export function hasUrl(result: BlockResult | null): boolean {
  return result?.files.some((part) => "url" in part) === true;
}
