// Stores one attachment of a tool result as a file of the thread (Standard Agents, ToolAttachment and AttachmentRef). A problem becomes a
// line of text that the model reads, never an exception.

import { z } from "zod";

import type { AttachmentRef } from "#contract/attachment.ts";
import { mimeTypeSchema } from "#contract/attachment.ts";
import { ThreadholdError } from "#contract/error.ts";
import type { ThreadFiles } from "#core/ports/thread-file-port.ts";
import { attachmentRef } from "#core/record/attachment-view.ts";
import { base64Bytes, base64Pieces, fromBase64 } from "#lib/base64.ts";
import { fileName, nameOfType } from "#lib/file-name.ts";

/** The reference to the stored file, or a line with the reason why there is none. */
export type StoredAttachment = { ref: AttachmentRef } | { note: string };

/** The dependencies of storing an attachment. */
export interface AttachmentStore {
  files: ThreadFiles;
  newId: () => string;
  /** Called with the path of each existing file to which a result refers. */
  onReference: (path: string) => void;
  /** Aborts a write. */
  signal?: AbortSignal | undefined;
}

/** The largest image in bytes that is decoded as a whole to read its size in pixels. */
const measuredBytes = 8_000_000;

const pixels = z.number().int().positive().max(1_000_000).optional().catch(undefined);

/** An attachment with data, which becomes a new file. */
const newSchema = z.object({
  name: z.string(),
  mimeType: mimeTypeSchema,
  data: z.string(),
  width: pixels,
  height: pixels,
});

/** A reference to a file of the thread. Its other fields are read from the file. */
const knownSchema = z.object({
  id: z.string().max(200).optional().catch(undefined),
  path: z.string().max(1024),
  data: z.undefined().optional(),
  description: z.string().max(2000).optional().catch(undefined),
});

const expectedShape =
  "an attachment is {name, mimeType, data} with data in base64, or {path} of a file of this thread.";

/** Stores a new file, or looks up the file that a reference names. Contract: never rejects. */
export async function storeAttachment(offered: unknown, store: AttachmentStore): Promise<StoredAttachment> {
  try {
    const made = newSchema.safeParse(offered);
    if (made.success) return await newFile(made.data, store);
    const known = knownSchema.safeParse(offered);
    if (known.success) return await knownFile(known.data, store);
    return notStored(nameIn(offered), expectedShape);
  } catch (thrown) {
    // A getter of the attachment may have thrown, or the storage may have refused the file with a reason.
    const why = thrown instanceof ThreadholdError ? thrown.message : "it could not be read or stored.";
    return notStored(nameIn(offered), why);
  }
}

async function newFile(
  { name: given, mimeType, data: text, width, height }: z.infer<typeof newSchema>,
  { files, newId, signal }: AttachmentStore,
): Promise<StoredAttachment> {
  const name = fileName(given, nameOfType("attachment", mimeType));
  const data = withoutDataUrl(text);
  if (!isBase64(data)) return notStored(name, "its data is not base64.");
  // The size in pixels is read only from an image whose bytes are in memory as a whole.
  const isMeasured = mimeType.startsWith("image/") && base64Bytes(data) <= measuredBytes;
  const body = (isMeasured ? fromBase64(data) : null) ?? decoded(data);
  const file = await files.attach(name, body, { mimeType, width, height, signal });
  return { ref: attachmentRef(file, { id: newId() }) };
}

async function knownFile(
  { id, path, description }: z.infer<typeof knownSchema>,
  { files, newId, onReference }: AttachmentStore,
): Promise<StoredAttachment> {
  const file = await files.stat(path);
  if (file === null || file.isDirectory) return notStored(path, "this thread has no such file.");
  onReference(file.path);
  return { ref: attachmentRef(file, { id: id ?? newId(), description }) };
}

/** Removes the prefix of a data URL such as `data:image/png;base64,…`, which browsers and libraries produce. */
function withoutDataUrl(data: string): string {
  return /^data:[^,]{0,200};base64,/i.test(data) ? data.slice(data.indexOf(",") + 1) : data;
}

/** Checks the whole text before anything is written, so that invalid data costs no write. */
function isBase64(data: string): boolean {
  try {
    let bytes = 0;
    for (const piece of base64Pieces(data)) bytes += piece.length;
    return bytes === base64Bytes(data);
  } catch {
    return false;
  }
}

/** Decodes in pieces, so that a large attachment is in memory only once. */
function decoded(data: string): ReadableStream<Uint8Array> {
  const pieces = base64Pieces(data);
  return new ReadableStream({
    pull(controller) {
      const next = pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
  });
}

function nameIn(offered: unknown): string {
  try {
    const { name, path } = Object(offered) as { name?: unknown; path?: unknown };
    if (typeof name === "string") return name;
    return typeof path === "string" ? path : "";
  } catch {
    return "";
  }
}

function notStored(name: string, why: string): StoredAttachment {
  const shown = fileName(name, "");
  return { note: `[The attachment${shown === "" ? "" : ` ${shown}`} was not kept: ${why}]` };
}
