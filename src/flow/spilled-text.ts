// A text that is too long for a row: the whole of it in a file of the thread, and in its place the beginning and the end with
// a word on where the rest is (architecture §6).

import { ThreadholdError } from "#contract/error.ts";
import type { FileRecord } from "#spec/index.ts";

import type { AttachmentStore } from "./tool-attachment.ts";

/** Characters of the text that are shown of its beginning and of its end. */
const shownHead = 8000;
const shownTail = 4000;

/** Characters that are encoded at a time. */
const slice = 65_536;

/** The text that stands in its place, and the file; null where it could not be written. */
export interface SpilledText {
  shown: string;
  file: FileRecord | null;
}

/** Writes the whole text to `path` and gives what is shown of it. Contract: never rejects; a failure is said in `shown`. */
export async function spilledText(
  text: string,
  path: string,
  { files, signal }: Pick<AttachmentStore, "files" | "signal">,
): Promise<SpilledText> {
  try {
    const file = await files.write(path, encoded(text), { mimeType: "text/plain", signal });
    return { shown: preview(text, `The whole text is in the file ${file.path} (${file.size} bytes).`), file };
  } catch (thrown) {
    // A refusal says what the model may know of it; anything else is a fault of ours and no business of the model.
    const why = thrown instanceof ThreadholdError ? `: ${thrown.message}` : ".";
    return { shown: preview(text, `The whole text could not be kept${why}`), file: null };
  }
}

function preview(text: string, where: string): string {
  const head = text.slice(0, shownHead).toWellFormed();
  const tail = text.slice(-shownTail).toWellFormed();
  const left = text.length - shownHead - shownTail;
  return [
    `[This text of ${text.length} characters is too long to be shown whole. ${where} Below are its beginning and its end.]`,
    head,
    `[… ${left} characters left out …]`,
    tail,
  ].join("\n\n");
}

/** The text's UTF-8, a slice at a time, never in the middle of a character. */
function encoded(text: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= text.length) {
        controller.close();
        return;
      }
      const end = at + slice;
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
