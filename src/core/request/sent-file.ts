// One file of the thread as a model is sent it: its bytes, its text, or a line that names it and says why it is no more.

import type { FilePart, ImagePart } from "#contract/content.ts";
import { ThreadholdError } from "#contract/error.ts";
import { toBase64 } from "#lib/base64.ts";
import { imageType } from "#lib/image-type.ts";
import { decodeText, isTextType } from "#lib/text-type.ts";

import { describePart } from "../describe-part.ts";
import type { ThreadFiles } from "../ports/thread-files.ts";
import type { StoredPart } from "../record.ts";
import type { AttachmentBudget } from "./attachment-budget.ts";

/** Pixels that no side of an image may pass: providers refuse the whole request for one that does. */
const mostPixels = 8000;

/** Documents and recordings that some providers read. Whether this one does, its adapter knows. */
const documentTypes = /^(application\/pdf|audio\/|video\/)/;

/** A part that refers to a file of the thread. */
export type FileReference = (ImagePart | FilePart) & { path: string };

/** How a kind of file is sent. */
export type SentAs = "image" | "document" | "text" | "line";

/** What the media type of a part lets it be sent as. */
export function sentAs({ mime_type }: FileReference): SentAs {
  if (mime_type.startsWith("image/")) return "image";
  if (isTextType(mime_type)) return "text";
  return documentTypes.test(mime_type) ? "document" : "line";
}

/** Reads the file if the budget allows it. Contract: a file that is gone or cannot be read is a line, never an exception. */
export async function sentFile(
  part: FileReference,
  as: Exclude<SentAs, "line">,
  { files, budget }: { files: ThreadFiles; budget: AttachmentBudget },
): Promise<StoredPart> {
  try {
    const kind = as === "text" ? "text" : "binary";
    const known = await files.stat(part.path);
    if (known === null || known.isDirectory) return line(part, "the file is gone");
    const { size, width = 0, height = 0 } = known;
    const sized = { ...part, size };
    if (!budget.has(kind, size)) return line(sized, kind === "binary" ? "too large to be sent here" : undefined);
    if (Math.max(width, height) > mostPixels) return line(sized, `over ${mostPixels} pixels on a side`);
    const bytes = await files.read(part.path);
    if (bytes === null) return line(sized, "its bytes are not kept here");
    budget.take(kind, bytes.byteLength);
    return sentBytes(sized, as, bytes);
  } catch (thrown) {
    if (!(thrown instanceof ThreadholdError)) throw thrown;
    return line(part, `it could not be read: ${thrown.message}`);
  }
}

/** The line that stands in a file's place. */
export function line(part: ImagePart | FilePart, reason?: string): StoredPart {
  return { type: "text", text: describePart(part, reason) };
}

function sentBytes(part: FileReference, as: Exclude<SentAs, "line">, bytes: Uint8Array): StoredPart {
  switch (as) {
    case "image": {
      // What it says it is counts for nothing: a provider refuses the request for bytes of another kind.
      const type = imageType(bytes);
      if (type === null) return line(part, "not a PNG, JPEG, GIF or WebP image");
      return { ...part, mime_type: type, data: toBase64(bytes) };
    }
    case "document":
      return { ...part, data: toBase64(bytes) };
    case "text": {
      const text = decodeText(bytes);
      return text === null ? line(part) : { type: "text", text: `${describePart(part)}\n${text}` };
    }
  }
}
