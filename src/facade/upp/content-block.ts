// The content blocks of UPP's messages: text, reasoning, images, documents and other media.

/** Text. */
export interface TextBlock {
  type: "text";
  text: string;
}

/** Reasoning of a model. Opaque data that belongs to it, such as a signature, is in the message's metadata. */
export interface ReasoningBlock {
  type: "reasoning";
  text: string;
}

/** An image as bytes, as base64 text, or as a URL. */
export type ImageSource =
  | { type: "base64"; data: string }
  | { type: "url"; url: string }
  | { type: "bytes"; data: Uint8Array };

/** An image. `mimeType` is its media type, such as "image/png". */
export interface ImageBlock {
  type: "image";
  source: ImageSource;
  mimeType: string;
  /** Pixels. */
  width?: number;
  /** Pixels. */
  height?: number;
}

/** A document as base64 text, as a URL, or as its text. */
export type DocumentSource =
  | { type: "base64"; data: string }
  | { type: "url"; url: string }
  | { type: "text"; data: string };

/** A document, such as a PDF. */
export interface DocumentBlock {
  type: "document";
  source: DocumentSource;
  mimeType: string;
  title?: string;
}

/** Audio. `mimeType` is its media type, such as "audio/wav". */
export interface AudioBlock {
  type: "audio";
  data: Uint8Array;
  mimeType: string;
  /** Seconds. */
  duration?: number;
}

/** A video. `mimeType` is its media type, such as "video/mp4". */
export interface VideoBlock {
  type: "video";
  data: Uint8Array;
  mimeType: string;
  /** Seconds. */
  duration?: number;
  /** Pixels. */
  width?: number;
  /** Pixels. */
  height?: number;
}

/** Bytes of any other kind. */
export interface BinaryBlock {
  type: "binary";
  data: Uint8Array;
  mimeType: string;
  metadata?: Record<string, unknown>;
}

/** A block of a user's message. */
export type UserContent = TextBlock | ImageBlock | DocumentBlock | AudioBlock | VideoBlock | BinaryBlock;

/** A block of a user's message other than text. */
export type MediaBlock = Exclude<UserContent, TextBlock>;

/** A block of a model's message. */
export type AssistantContent = TextBlock | ReasoningBlock | ImageBlock | AudioBlock | VideoBlock;

/** A block of any message. */
export type ContentBlock = UserContent | AssistantContent;

/** The blocks of a given type, in order. */
export function blocksOf<T extends ContentBlock["type"]>(
  blocks: readonly ContentBlock[],
  type: T,
): Extract<ContentBlock, { type: T }>[] {
  return blocks.filter((block): block is Extract<ContentBlock, { type: T }> => block.type === type);
}

/** The text of blocks: their text blocks, joined by a blank line. */
export function blocksText(blocks: readonly ContentBlock[]): string {
  return blocksOf(blocks, "text")
    .map(({ text }) => text)
    .join("\n\n");
}
