// The tool `write_file`: creates or replaces a text file.

import { z } from "zod";

import { defineTool } from "#spec/index.ts";

import { failed, utf8Bytes } from "./file-text.ts";
import { threadWorkspace } from "./workspace.ts";
import type { OpenWorkspace } from "./workspace.ts";

/** Options of `write_file`. */
export interface WriteFileOptions {
  /** The files to work on. Default: those of the thread. */
  workspace?: OpenWorkspace;
}

const args = z.object({
  path: z.string().min(1).describe("Path of the file. Missing folders are created"),
  content: z.string().describe("The complete content of the file"),
});

/** Creates the tool `write_file`. */
export function createWriteFileTool({ workspace = threadWorkspace }: WriteFileOptions = {}) {
  return defineTool(
    "Writes a text file: creates it, or replaces its whole content. Use edit_file to change a part of a file.",
    args,
    async (state, { path, content }, { id, signal }) => {
      const files = workspace(state);
      signal.throwIfAborted();
      const file = await files.stat(path);
      if (file?.isDirectory === true) return failed(`Cannot write ${path}: it is a folder.`);
      signal.throwIfAborted();
      await files.write({ path, text: content, callId: id });
      return { status: "success", result: `Wrote ${utf8Bytes(content)} bytes to ${path}`, value: { path } };
    },
    // Sequential: several calls of one step may change the same file, and the file has to keep the change of the last one.
    { idempotent: true, sequential: true },
  );
}
