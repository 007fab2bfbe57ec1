// Converts content blocks to JSON and back. Bytes are base64; everything else is unchanged.

import { z } from "zod";

import { fromBase64, toBase64 } from "#lib/base64.ts";
import { isObject } from "#lib/json-value.ts";

import type { AssistantContent, ContentBlock, UserContent } from "./content-block.ts";

/** A block as JSON: the fields of the block, with bytes as base64 text. */
export type BlockJSON = { type: ContentBlock["type"] } & Record<string, unknown>;

/** Converts a block to JSON. */
export function blockToJSON(block: ContentBlock): BlockJSON {
  switch (block.type) {
    case "text":
    case "reasoning":
    case "document":
      return { ...block };
    case "image": {
      const { source } = block;
      return source.type === "bytes" ? { ...block, source: { ...source, data: toBase64(source.data) } } : { ...block };
    }
    case "audio":
    case "video":
    case "binary":
      return { ...block, data: toBase64(block.data) };
  }
}

const bytesSchema = z.string().transform((text, context) => {
  const bytes = fromBase64(text);
  if (bytes !== null) return bytes;
  context.addIssue({ code: "custom", message: "Has to be base64" });
  return z.NEVER;
});

/** Accepts any object, and does not copy it. */
export const objectSchema = z.custom<Record<string, unknown>>(isObject, "Has to be an object");

const number = z.number().exactOptional();

const textSchema = z.object({ type: z.literal("text"), text: z.string() });
const reasoningSchema = z.object({ type: z.literal("reasoning"), text: z.string() });
const imageSchema = z.object({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [
    z.object({ type: z.literal("base64"), data: z.string() }),
    z.object({ type: z.literal("url"), url: z.string() }),
    z.object({ type: z.literal("bytes"), data: bytesSchema }),
  ]),
  mimeType: z.string(),
  width: number,
  height: number,
});
const documentSchema = z.object({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [
    z.object({ type: z.literal("base64"), data: z.string() }),
    z.object({ type: z.literal("url"), url: z.string() }),
    z.object({ type: z.literal("text"), data: z.string() }),
  ]),
  mimeType: z.string(),
  title: z.string().exactOptional(),
});
const media = { data: bytesSchema, mimeType: z.string() };
const audioSchema = z.object({ type: z.literal("audio"), ...media, duration: number });
const videoSchema = z.object({ type: z.literal("video"), ...media, duration: number, width: number, height: number });
const binarySchema = z.object({ type: z.literal("binary"), ...media, metadata: objectSchema.exactOptional() });

/** Reads the JSON of a user's block. */
export const userContentSchema: z.ZodType<UserContent> = z.discriminatedUnion("type", [
  textSchema,
  imageSchema,
  documentSchema,
  audioSchema,
  videoSchema,
  binarySchema,
]);

/** Reads the JSON of a model's block. */
export const assistantContentSchema: z.ZodType<AssistantContent> = z.discriminatedUnion("type", [
  textSchema,
  reasoningSchema,
  imageSchema,
  audioSchema,
  videoSchema,
]);
