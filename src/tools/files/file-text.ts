// Texts of files: their lines and sizes, and the reading of some lines without keeping the other lines in memory.

import { refuse } from "#contract/error.ts";
import type { ToolResult } from "#spec/index.ts";

/** The default limits of `read_file`: 1 MiB of text, and an image of 20 MiB. */
export const textBytes = 1024 * 1024;
export const imageBytes = 20 * 1024 * 1024;

/** The media types of images by the extension of the file's name. */
const imageTypes: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
};

/** The type of an image by its name; undefined for other files. */
export function imageTypeOfName(path: string): string | undefined {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return Object.hasOwn(imageTypes, extension) ? imageTypes[extension] : undefined;
}

/** Splits a text into lines. A line break at the end of the text begins no further line. */
export function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Returns a result that reports an error to the model. */
export function failed(error: string): ToolResult {
  return { status: "error", error };
}

/** Decodes pieces of UTF-8. Throws if the bytes are not text. */
export async function* textOf(path: string, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    for await (const piece of pieces) {
      const text = decoder.decode(piece, { stream: true });
      if (text.includes("\u0000")) throw new TypeError("a zero byte");
      yield text;
    }
    yield decoder.decode();
  } catch (thrown) {
    if (thrown instanceof TypeError) {
      throw refuse("unsupported_media_type", `${path} is not a text file: its bytes are not UTF-8.`);
    }
    throw thrown;
  }
}

/** The requested lines of a text with their numbers, and the number of all its lines. */
export interface LineRange {
  lines: string[];
  total: number;
}

/** Returns a line with its number, as `read_file` shows it. */
function numberedLine(number: number, line: string): string {
  return `${String(number).padStart(4)} | ${line}`;
}

/**
 * Reads at most `limit` lines, beginning with the line number `offset` (from 1). Null if these lines with their numbers have more than
 * `bytes` bytes.
 */
export async function readLines(
  texts: AsyncIterable<string>,
  { offset, limit, bytes }: { offset: number; limit: number; bytes: number },
): Promise<LineRange | null> {
  const lines: string[] = [];
  let total = 0;
  let size = 0;
  let rest = "";
  const isRequested = (number: number) => number >= offset && lines.length < limit;
  const take = (line: string): boolean => {
    total += 1;
    if (!isRequested(total)) return true;
    const numbered = numberedLine(total, line);
    size += utf8Bytes(numbered) + 1;
    lines.push(numbered);
    return size <= bytes;
  };
  for await (const text of texts) {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) if (!take(part.endsWith("\r") ? part.slice(0, -1) : part)) return null;
    if (rest.length > bytes) {
      // The current line is already longer than the limit, even if its end has not arrived.
      if (isRequested(total + 1)) return null;
      // A line that is not requested is only counted, so one character of it is enough.
      rest = rest.slice(-1);
    }
  }
  if (rest !== "" && !take(rest)) return null;
  return { lines, total };
}

/** Returns the number of bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
