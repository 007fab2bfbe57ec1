// Files that belong to a message, in the form of files that the thread has stored.

import { z } from "zod";

/** Maximal number of attachments of one message, and of one tool result. */
export const attachmentLimit = 20;

// Standard Agents types these fields as absent, never undefined.
const pixels = z.number().int().positive().exactOptional();

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

export type AttachmentRef = z.infer<typeof attachmentRefSchema>;
