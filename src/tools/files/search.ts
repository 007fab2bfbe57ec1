// The tool `search`: the lines of files that match a regular expression.

import { z } from "zod";

import { defineTool } from "#spec/index.ts";

import { withTimeLimit } from "../limited-time.ts";
import { failed } from "./file-text.ts";
import { excludedFolders } from "./list-files.ts";
import { threadWorkspace } from "./workspace.ts";
import type { OpenWorkspace } from "./workspace.ts";

/** Options of `search`. */
export interface SearchOptions {
  /** The maximum number of lines in a result. Default 50, at most 1,000. */
  maxResults?: number;
  /** The time limit of a search in milliseconds. Default 30,000. */
  timeoutMs?: number;
  /** Names of folders that are left out. Default: `target`, `.git`, `node_modules`. */
  exclude?: readonly string[];
  /** The files to work on. Default: those of the thread. */
  workspace?: OpenWorkspace;
}

const args = z.object({
  pattern: z.string().min(1).describe("Regular expression (RE2: no lookaround, no back-references)"),
  path: z.string().min(1).optional().describe("Folder or file to search. Default: the root folder"),
  include: z.string().min(1).optional().describe("Glob of the files to search, such as *.ts"),
  case_sensitive: z.boolean().optional().describe("Default: false"),
});

/** Creates the tool `search`. */
export function createSearchTool({
  maxResults = 50,
  timeoutMs = 30_000,
  exclude = excludedFolders,
  workspace = threadWorkspace,
}: SearchOptions = {}) {
  return defineTool(
    "Searches the lines of files by a regular expression. Returns path, line number and text of each matching line.",
    args,
    async (state, { pattern, path = "/", include, case_sensitive = false }, { signal }) => {
      const files = workspace(state);
      signal.throwIfAborted();
      if ((await files.stat(path)) === null) return failed(`Path not found: ${path}. Check the path and try again.`);
      const expression = case_sensitive ? pattern : `(?i)${pattern}`;
      const found = await withTimeLimit(signal, timeoutMs, (limited) =>
        files.search(expression, { path, include, exclude, limit: maxResults, signal: limited }),
      );
      if (found === "timeout") return failed("Search timed out. Search a folder below it, or use include.");
      const { lines, truncated } = found;
      const matches = lines.length;
      if (matches === 0) {
        const note = truncated ? " in the files that could be searched. Search a folder below it, or use include." : "";
        return { status: "success", result: `No matches found for '${pattern}'${note}`, value: { matches, truncated } };
      }
      const shown = lines.map(({ path: file, line, text }) => `${file}:${line}:${text}`).join("\n");
      const end = truncated ? `... (showing first ${matches} matches)` : `(${matches} matches)`;
      return { status: "success", result: `${shown}\n${end}`, value: { matches, truncated } };
    },
    { idempotent: true, repeatable: true },
  );
}
