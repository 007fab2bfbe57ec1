// Attachments of a message, in the form in which callers send them.

import { z } from "zod";

import { attachmentLimit, mimeTypeSchema } from "./attachment.ts";

const name = z.string().min(1).max(255);

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

export type InputAttachment = z.infer<typeof inputAttachmentSchema>;
