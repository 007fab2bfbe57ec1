// The tool `read_file`: the numbered lines of a text file, or an image.

import { z } from "zod";

import { defineTool } from "#spec/index.ts";

import { failed, imageBytes, imageTypeOfName, readLines, textBytes, textOf } from "./file-text.ts";
import { threadWorkspace } from "./workspace.ts";
import type { OpenWorkspace } from "./workspace.ts";

/** Options of `read_file`. */
export interface ReadFileOptions {
  /** The maximum number of bytes of text in a result, with the line numbers. Default 1 MiB. */
  maxBytes?: number;
  /** The maximum number of bytes of an image. Default 20 MiB. */
  maxImageBytes?: number;
  /** The files to work on. Default: those of the thread. */
  workspace?: OpenWorkspace;
}

const args = z.object({
  path: z.string().min(1).describe("Path of the file"),
  offset: z.number().int().min(1).optional().describe("Number of the first line to read, from 1"),
  limit: z.number().int().min(1).optional().describe("Number of lines to read"),
});

/** Creates the tool `read_file`. */
export function createReadFileTool({
  maxBytes = textBytes,
  maxImageBytes = imageBytes,
  workspace = threadWorkspace,
}: ReadFileOptions = {}) {
  return defineTool(
    "Reads a file. The lines of a text file are numbered; use offset and limit for a part of a large file. Images are shown.",
    args,
    async (state, { path, offset, limit }, { signal }) => {
      const files = workspace(state);
      signal.throwIfAborted();
      const file = await files.stat(path);
      if (file === null) return failed(`Cannot access ${path}: there is no such file. Use list_files to find it.`);
      if (file.isDirectory) return failed(`Cannot access ${path}: it is a folder. Use list_files to see its files.`);
      signal.throwIfAborted();
      const image = imageTypeOfName(path);
      if (image !== undefined) {
        if (file.size > maxImageBytes) {
          return failed(`Image too large: ${path} has ${file.size} bytes, and at most ${maxImageBytes} are read.`);
        }
        const shown = await files.image(file, image);
        return {
          status: "success",
          result: `[${path}: ${image}, ${file.size} bytes]`,
          value: { path, bytes: file.size },
          ...shown,
        };
      }
      const tooLarge = `File too large. Use offset/limit for partial reads: ${path} has ${file.size} bytes, and at most ${maxBytes} are read at once, with the line numbers.`;
      const whole = offset === undefined && limit === undefined;
      if (whole && file.size > maxBytes) return failed(tooLarge);
      const range = { offset: offset ?? 1, limit: limit ?? Number.POSITIVE_INFINITY, bytes: maxBytes };
      const read = await readLines(textOf(path, files.read(file, signal)), range);
      if (read === null) return failed(tooLarge);
      const { lines, total } = read;
      if (range.offset > Math.max(1, total)) {
        return failed(`Line ${range.offset} does not exist: ${path} has ${total} lines.`);
      }
      const last = range.offset + lines.length - 1;
      const header = lines.length < total ? `[Lines ${range.offset}-${last} of ${total}]` : `[${total} lines]`;
      return { status: "success", result: [header, ...lines].join("\n"), value: { path } };
    },
    { idempotent: true, repeatable: true },
  );
}
