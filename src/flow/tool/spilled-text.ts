// Moves a text that is too long for a row into a file of the thread. An excerpt replaces the text: its beginning and its end, and the
// file's path (architecture §6).

import { ThreadholdError } from "#contract/error.ts";
import type { FileRecord } from "#spec/index.ts";

import type { AttachmentStore } from "./tool-attachment.ts";

/** The number of characters that the excerpt takes from the beginning, and from the end. */
const shownHead = 8000;
const shownTail = 4000;

/** How many characters are encoded at a time. */
const sliceLength = 65_536;

/** The excerpt, and the file with the whole text; null if it could not be written. */
export interface SpilledText {
  excerpt: string;
  file: FileRecord | null;
}

/** Writes the whole text to `path` and returns the excerpt. Contract: never rejects; the excerpt names a failure. */
export async function spillText(
  text: string,
  path: string,
  { files, signal }: Pick<AttachmentStore, "files" | "signal">,
): Promise<SpilledText> {
  try {
    const file = await files.write(path, encoded(text), { mimeType: "text/plain", signal });
    return { excerpt: preview(text, `The whole text is in the file ${file.path} (${file.size} bytes).`), file };
  } catch (thrown) {
    // A refusal's message may be shown. Other errors are internal, so the model does not receive them.
    const why = thrown instanceof ThreadholdError ? `: ${thrown.message}` : ".";
    return { excerpt: preview(text, `The whole text could not be kept${why}`), file: null };
  }
}

function preview(text: string, where: string): string {
  const head = text.slice(0, shownHead).toWellFormed();
  const tail = text.slice(-shownTail).toWellFormed();
  const omitted = text.length - shownHead - shownTail;
  return [
    `[This text of ${text.length} characters is too long to be shown whole. ${where} Below are its beginning and its end.]`,
    head,
    `[… ${omitted} characters left out …]`,
    tail,
  ].join("\n\n");
}

/** The text as UTF-8 in slices. A character is never split. */
function encoded(text: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= text.length) {
        controller.close();
        return;
      }
      const end = at + sliceLength;
      const splits = isHighSurrogate(text.charCodeAt(end - 1));
      const next = splits ? end - 1 : end;
      controller.enqueue(encoder.encode(text.slice(at, next)));
      at = next;
    },
  });
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
