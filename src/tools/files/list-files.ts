// The tool `list_files`: the paths of files, by folder and glob.

import { z } from "zod";

import { defineTool } from "#spec/index.ts";

import { withTimeLimit } from "../limited-time.ts";
import { failed } from "./file-text.ts";
import { threadWorkspace } from "./workspace.ts";
import type { OpenWorkspace } from "./workspace.ts";

/** The default of the option `exclude` of `list_files` and `search`: names of folders that are left out. */
export const excludedFolders: readonly string[] = ["target", ".git", "node_modules"];

/** Options of `list_files`. */
export interface ListFilesOptions {
  /** The maximum number of paths in a result. Default 200, at most 1,000. */
  maxResults?: number;
  /** The time limit of a list in milliseconds. Default 10,000. */
  timeoutMs?: number;
  /** Names of folders that are left out. Default: `target`, `.git`, `node_modules`. */
  exclude?: readonly string[];
  /** The files to work on. Default: those of the thread. */
  workspace?: OpenWorkspace;
}

const args = z.object({
  path: z.string().min(1).optional().describe("Folder to list. Default: the root folder"),
  pattern: z.string().min(1).optional().describe("Glob that the files match, such as *.ts or src/**/*.ts"),
  max_depth: z.number().int().min(1).optional().describe("How many folders deep to look: 1 for the folder's own files"),
});

/** Creates the tool `list_files`. */
export function createListFilesTool({
  maxResults = 200,
  timeoutMs = 10_000,
  exclude = excludedFolders,
  workspace = threadWorkspace,
}: ListFilesOptions = {}) {
  return defineTool(
    "Lists the files below a folder, optionally those that match a glob. Folders of dependencies and builds are left out.",
    args,
    async (state, { path = "/", pattern, max_depth: depth }, { signal }) => {
      const files = workspace(state);
      signal.throwIfAborted();
      const folder = await files.stat(path);
      if (folder?.isDirectory !== true) return failed(`Directory not found: ${path}. Check the path and try again.`);
      const listed = await withTimeLimit(signal, timeoutMs, (limited) =>
        files.list({ path, pattern, depth, exclude, limit: maxResults, signal: limited }),
      );
      if (listed === "timeout") return failed("Listing timed out. List a folder below it, or use a pattern.");
      const { paths, total, truncated } = listed;
      const text =
        total === 0
          ? `No files found in ${path}`
          : `${paths.join("\n")}\n\n${truncated ? `... (${total} files, showing first ${paths.length})` : `(${total} files)`}`;
      return { status: "success", result: text, value: { total, truncated } };
    },
    { idempotent: true, repeatable: true },
  );
}
