// Converts one file of the thread for a model request: to its bytes, to its text, or to a line with its name and why it is not sent.

import type { FilePart, ImagePart } from "#contract/content.ts";
import { ThreadholdError } from "#contract/error.ts";
import { toBase64 } from "#lib/base64.ts";
import { imageType } from "#lib/image-type.ts";
import { decodeText, isTextType } from "#lib/text-type.ts";

import type { ThreadFiles } from "../ports/thread-file-port.ts";
import type { StoredPart } from "../record/record.ts";
import type { AttachmentBudget } from "./attachment-budget.ts";
import { describePart } from "./describe-part.ts";

/** The longest side of an image in pixels. Providers refuse a whole request with a larger one. */
const maxPixels = 8000;

/** Documents and recordings that some providers accept. The provider's adapter decides. */
const documentTypes = /^(application\/pdf|audio\/|video\/)/;

/** A part that refers to a file of the thread. */
export type FileReference = (ImagePart | FilePart) & { path: string };

/** The forms in which a file is sent. `line`: only a line of text that names the file. */
export type SentAs = "image" | "document" | "text" | "line";

/** The form in which a file is sent, by its media type. */
export function sentAs({ mime_type }: FileReference): SentAs {
  if (mime_type.startsWith("image/")) return "image";
  if (isTextType(mime_type)) return "text";
  return documentTypes.test(mime_type) ? "document" : "line";
}

/** Reads the file if the budget allows it. Contract: a missing or unreadable file becomes a line of text; nothing is thrown. */
export async function sentFile(
  part: FileReference,
  as: Exclude<SentAs, "line">,
  { files, budget }: { files: ThreadFiles; budget: AttachmentBudget },
): Promise<StoredPart> {
  try {
    const kind = as === "text" ? "text" : "binary";
    const file = await files.stat(part.path);
    if (file === null || file.isDirectory) return fileLine(part, "the file is gone");
    const { size, width = 0, height = 0 } = file;
    const sized = { ...part, size };
    if (!budget.has(kind, size)) return fileLine(sized, kind === "binary" ? "too large to be sent here" : undefined);
    if (Math.max(width, height) > maxPixels) return fileLine(sized, `over ${maxPixels} pixels on a side`);
    const bytes = await files.read(part.path);
    if (bytes === null) return fileLine(sized, "its bytes are not kept here");
    budget.take(kind, bytes.byteLength);
    return sentBytes(sized, as, bytes);
  } catch (thrown) {
    if (!(thrown instanceof ThreadholdError)) throw thrown;
    return fileLine(part, `it could not be read: ${thrown.message}`);
  }
}

/** The line that is sent in place of a file. */
export function fileLine(part: ImagePart | FilePart, reason?: string): StoredPart {
  return { type: "text", text: describePart(part, reason) };
}

function sentBytes(part: FileReference, as: Exclude<SentAs, "line">, bytes: Uint8Array): StoredPart {
  switch (as) {
    case "image": {
      // The type is read from the bytes, because a provider refuses a request whose bytes do not match their declared type.
      const type = imageType(bytes);
      if (type === null) return fileLine(part, "not a PNG, JPEG, GIF or WebP image");
      return { ...part, mime_type: type, data: toBase64(bytes) };
    }
    case "document":
      // Providers refuse a request with an empty document.
      if (bytes.byteLength === 0) return fileLine(part, "the file is empty");
      return { ...part, data: toBase64(bytes) };
    case "text": {
      const text = decodeText(bytes);
      return text === null ? fileLine(part) : { type: "text", text: `${describePart(part)}\n${text}` };
    }
  }
}
