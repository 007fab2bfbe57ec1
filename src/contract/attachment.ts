// Files that belong to a message: the form in which callers send them, and the form of files that the thread has stored.

import { z } from "zod";

/** Maximal number of attachments of one message, and of one tool result. */
export const attachmentLimit = 20;

// Standard Agents types these fields as absent, never undefined.
const pixels = z.number().int().positive().exactOptional();
const name = z.string().min(1).max(255);

/** A media type, optionally with parameters. */
export const mimeTypeSchema = z
  .string()
  .max(200)
  .regex(/^[\w.+-]+\/[\w.+-]+( *;.*)?$/, "has to be a media type such as image/png");

/** A file of the thread that a message or a result refers to (Standard Agents, AttachmentRef). Sizes are bytes and pixels. */
export const attachmentRefSchema = z.object({
  id: z.string(),
  type: z.literal("file"),
  path: z.string(),
  name: z.string(),
  mimeType: z.string(),
  size: z.number().int().nonnegative(),
  width: pixels,
  height: pixels,
  description: z.string().exactOptional(),
});

/** An attachment as a caller sends it: base64 bytes, a file that the thread has, or an address to fetch it from. */
const inputAttachmentSchema = z.union(
  [
    z.object({ name, mime_type: mimeTypeSchema, data: z.base64() }).strict(),
    z.object({ path: z.string().min(1).max(1024) }).strict(),
    z.object({ url: z.url().max(4096), name: name.optional() }).strict(),
  ],
  { error: "has to be {name, mime_type, data} with data in base64, {path} of a file of the thread, or {url, name?}" },
);

/** The attachments of one message. */
export const inputAttachmentsSchema = z.array(inputAttachmentSchema).max(attachmentLimit);

export type AttachmentRef = z.infer<typeof attachmentRefSchema>;
export type InputAttachment = z.infer<typeof inputAttachmentSchema>;
