// One attachment of a tool's answer, made a file of the thread (Standard Agents, ToolAttachment and AttachmentRef). Whatever
// is wrong with it is a line that the model can read, never an exception.

import { z } from "zod";

import type { AttachmentRef } from "#contract/attachment.ts";
import { mimeTypeSchema } from "#contract/attachment.ts";
import { ThreadholdError } from "#contract/error.ts";
import type { ThreadFiles } from "#core/ports/thread-files.ts";
import { base64Bytes, base64Pieces, fromBase64 } from "#lib/base64.ts";
import { fileName, nameOfType } from "#lib/file-name.ts";
import type { FileRecord } from "#spec/index.ts";

/** What became of one: a file of the thread, or a line that says why not. */
export type KeptAttachment = { ref: AttachmentRef } | { note: string };

/** What storing needs. */
export interface AttachmentStore {
  files: ThreadFiles;
  newId: () => string;
  /** Hears that an answer refers to the file at a path. */
  referred: (path: string) => void;
  /** Ends what writing has to wait for. */
  signal?: AbortSignal | undefined;
}

/** Bytes of an image that is decoded as a whole. */
const measuredBytes = 8_000_000;

const pixels = z.number().int().positive().max(1_000_000).optional().catch(undefined);

/** A new file. */
const newSchema = z.object({
  name: z.string(),
  mimeType: mimeTypeSchema,
  data: z.string(),
  width: pixels,
  height: pixels,
});

/** A file the thread has. What else a reference says of it is read from the file itself. */
const knownSchema = z.object({
  id: z.string().max(200).optional().catch(undefined),
  path: z.string().max(1024),
  data: z.undefined().optional(),
  description: z.string().max(2000).optional().catch(undefined),
});

const shapeAsked = "an attachment is {name, mimeType, data} with data in base64, or {path} of a file of this thread.";

/** Stores a new file, or looks for one that is named. Contract: never rejects. */
export async function keptAttachment(offered: unknown, store: AttachmentStore): Promise<KeptAttachment> {
  try {
    const made = newSchema.safeParse(offered);
    if (made.success) return await newFile(made.data, store);
    const known = knownSchema.safeParse(offered);
    if (known.success) return await knownFile(known.data, store);
    return notKept(nameIn(offered), shapeAsked);
  } catch (thrown) {
    // A getter may throw while it is read; storage may refuse, and says why.
    const why = thrown instanceof ThreadholdError ? thrown.message : "it could not be read or stored.";
    return notKept(nameIn(offered), why);
  }
}

/** A file of the thread as a reference. */
export function attachmentRef(
  { path, name, mimeType, size, width, height }: FileRecord,
  { id, description }: { id: string; description?: string | undefined },
): AttachmentRef {
  return {
    id,
    type: "file",
    path,
    name,
    mimeType,
    size,
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
    ...(description === undefined ? {} : { description }),
  };
}

async function newFile(
  { name: given, mimeType, data: text, width, height }: z.infer<typeof newSchema>,
  { files, newId, signal }: AttachmentStore,
): Promise<KeptAttachment> {
  const name = fileName(given, nameOfType("attachment", mimeType));
  const data = withoutDataUrl(text);
  if (!isBase64(data)) return notKept(name, "its data is not base64.");
  // Only an image whose bytes are at hand is measured.
  const isMeasured = mimeType.startsWith("image/") && base64Bytes(data) <= measuredBytes;
  const body = (isMeasured ? fromBase64(data) : null) ?? decoded(data);
  const file = await files.attach(name, body, { mimeType, width, height, signal });
  return { ref: attachmentRef(file, { id: newId() }) };
}

async function knownFile(
  { id, path, description }: z.infer<typeof knownSchema>,
  { files, newId, referred }: AttachmentStore,
): Promise<KeptAttachment> {
  const file = await files.stat(path);
  if (file === null || file.isDirectory) return notKept(path, "this thread has no such file.");
  referred(file.path);
  return { ref: attachmentRef(file, { id: id ?? newId(), description }) };
}

/** `data:image/png;base64,…` is what browsers and libraries hand out: the bytes are meant. */
function withoutDataUrl(data: string): string {
  return /^data:[^,]{0,200};base64,/i.test(data) ? data.slice(data.indexOf(",") + 1) : data;
}

/** Looked through before anything is written, so that what is none costs no write. */
function isBase64(data: string): boolean {
  try {
    let bytes = 0;
    for (const piece of base64Pieces(data)) bytes += piece.length;
    return bytes === base64Bytes(data);
  } catch {
    return false;
  }
}

/** A piece at a time: a large attachment is never in memory a second time. */
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

function notKept(name: string, why: string): KeptAttachment {
  const shown = fileName(name, "");
  return { note: `[The attachment${shown === "" ? "" : ` ${shown}`} was not kept: ${why}]` };
}
