// The entry `threadhold/tools/files`: tools that read, write and search the files of a thread. A prompt that lists one of their names has
// the tool; a project's tool of the same name replaces it.

import { createEditFileTool } from "./edit-file.ts";
import { createListFilesTool } from "./list-files.ts";
import { createReadFileTool } from "./read-file.ts";
import { createSearchTool } from "./search.ts";
import { createWriteFileTool } from "./write-file.ts";

export { createEditFileTool } from "./edit-file.ts";
export type { EditFileOptions } from "./edit-file.ts";
export { createListFilesTool, excludedFolders } from "./list-files.ts";
export type { ListFilesOptions } from "./list-files.ts";
export { createReadFileTool } from "./read-file.ts";
export type { ReadFileOptions } from "./read-file.ts";
export { createSearchTool } from "./search.ts";
export type { SearchOptions } from "./search.ts";
export { threadWorkspace } from "./workspace.ts";
export type {
  OpenWorkspace,
  Workspace,
  WorkspaceFile,
  WorkspaceLine,
  WorkspaceSearch,
  WorkspaceWrite,
} from "./workspace.ts";
export { createWriteFileTool } from "./write-file.ts";
export type { WriteFileOptions } from "./write-file.ts";

/** The tool `read_file` with its default options. */
export const readFile = createReadFileTool();

/** The tool `write_file` with its default options. */
export const writeFile = createWriteFileTool();

/** The tool `edit_file` with its default options. */
export const editFile = createEditFileTool();

/** The tool `list_files` with its default options. */
export const listFiles = createListFilesTool();

/** The tool `search` with its default options. */
export const search = createSearchTool();

/** The names of the six coding tools, for the list of tools of a prompt. `bash` is defined in `threadhold/tools/bash`. */
export const codingTools = ["bash", "read_file", "write_file", "edit_file", "list_files", "search"] as const;
