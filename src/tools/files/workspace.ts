// The files that the coding tools work on: by default the files of the thread. The option `workspace` of a tool replaces them by others, such
// as the files of a folder of a machine.

import { refuse } from "#contract/error.ts";
import type { ExtendedThreadState, FileRecord, ThreadState, ToolResult } from "#spec/index.ts";

/** A file or folder of a workspace. */
export interface WorkspaceFile {
  /** The path of the file in results. */
  path: string;
  /** The number of bytes of the content. */
  size: number;
  isDirectory: boolean;
  /** Identifies the content that was read, so that a write does not replace a later content. */
  version: unknown;
}

/** The options of a list and a search. */
export interface WorkspaceSearch {
  path: string;
  /** Names of folders that are left out. */
  exclude: readonly string[];
  limit: number;
  signal: AbortSignal;
}

/** A text to write. */
export interface WorkspaceWrite {
  path: string;
  text: string;
  /** The file that was read. The write is refused if the file has changed since then. Absent: the file is replaced in any case. */
  expected?: WorkspaceFile;
  /** The id of the call that writes. */
  callId: string;
}

/** A matching line. */
export interface WorkspaceLine {
  path: string;
  line: number;
  text: string;
}

/**
 * The files that the tools work on. Contract: the paths are arguments from a model, and a path outside of the workspace is refused. Methods
 * reject with an error whose message a model can read.
 */
export interface Workspace {
  /** Null if nothing exists at the path. */
  stat(path: string): Promise<WorkspaceFile | null>;
  /** Reads a file piece by piece. */
  read(file: WorkspaceFile, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Returns the part of a tool's result that shows the image. */
  image(file: WorkspaceFile, mimeType: string): Promise<Pick<ToolResult, "attachments" | "content">>;
  /** Writes a file as a whole, and creates the folders above it. */
  write(file: WorkspaceWrite): Promise<void>;
  /** The sorted paths that match a glob; `total` also counts those over the limit. */
  list(
    options: WorkspaceSearch & { pattern?: string | undefined; depth?: number | undefined },
  ): Promise<{ paths: string[]; total: number; truncated: boolean }>;
  /** The lines that match a regular expression. */
  search(
    pattern: string,
    options: WorkspaceSearch & { include?: string | undefined },
  ): Promise<{ lines: WorkspaceLine[]; truncated: boolean }>;
  /** Whether the call with this id made the last write of the file; false if the workspace does not store this. */
  wasWrittenBy(path: string, callId: string): Promise<boolean>;
}

/** Returns the workspace of a call. */
export type OpenWorkspace = (state: ThreadState) => Workspace;

/** The key of a file's metadata that names the call that wrote the file. */
const callKey = "tool_call";

/** The files of the thread. */
export const threadWorkspace: OpenWorkspace = (given) => {
  const state = given as ExtendedThreadState;
  const recordOf = (file: WorkspaceFile | undefined) => file?.version as FileRecord | undefined;
  return {
    async stat(path) {
      const record = await state.statFile(path);
      return record === null
        ? null
        : { path: record.path, size: record.size, isDirectory: record.isDirectory, version: record };
    },
    async *read(file, signal) {
      const chunks = await state.readFileStream(file.path, { signal });
      if (chunks === null)
        throw refuse("unavailable", `The content of ${file.path} is not stored in the thread, so it cannot be read.`);
      for await (const { data } of chunks) yield data;
      signal.throwIfAborted();
    },
    async image(file, mimeType) {
      const name = file.path.split("/").at(-1) ?? file.path;
      return {
        attachments: [{ id: crypto.randomUUID(), type: "file", path: file.path, name, mimeType, size: file.size }],
      };
    },
    async write({ path, text, expected, callId }) {
      const before = recordOf(expected) ?? (await state.statFile(path));
      await state.writeFiles([
        {
          path,
          data: text,
          ...(before === null || before.isDirectory ? {} : { mimeType: before.mimeType }),
          metadata: { ...before?.metadata, [callKey]: callId },
          ...(expected === undefined ? {} : { expected: recordOf(expected) ?? null }),
        },
      ]);
    },
    list: ({ path, pattern, depth, ...options }) =>
      state.listFiles(globIn(path, pattern ?? "**"), { path, ...options, ...(depth === undefined ? {} : { depth }) }),
    async search(pattern, { path, include, ...options }) {
      const at = await state.statFile(path);
      const scope =
        at?.isDirectory === false
          ? { path: at.path.slice(0, at.path.lastIndexOf("/")) || "/", include: escaped(at.path) }
          : { path, ...(include === undefined ? {} : { include: globIn(path, include) }) };
      const { results, truncated } = await state.searchFiles(pattern, { ...options, ...scope });
      const lines = results.flatMap((file) =>
        file.matches.map(({ line, content }) => ({ path: file.path, line, text: content })),
      );
      return { lines: lines.slice(0, options.limit), truncated: truncated || lines.length > options.limit };
    },
    wasWrittenBy: async (path, callId) => (await state.statFile(path))?.metadata?.[callKey] === callId,
  };
};

/** Returns the glob of a pattern in a folder. A pattern without `/` matches names at any depth, as in `find -name` and `rg --glob`. */
export function globIn(folder: string, pattern: string): string {
  const names = folder.split("/").filter((name) => name !== "" && name !== ".");
  const base = names.map((name) => `${escaped(name)}/`).join("");
  const relative = pattern.replace(/^\.?\/+/, "");
  return `${base}${relative.includes("/") || relative === "**" ? "" : "**/"}${relative}`;
}

function escaped(text: string): string {
  return text.replace(/[*?[\]{}()!+@|\\]/g, String.raw`\$&`);
}
