// The names of the built-in tools, which every project can use, and the entries of the package that export them.

/** The export of a built-in tool: the entry of the package, and the name of the export. */
export interface BuiltInTool {
  entry: string;
  member: string;
}

const files = "threadhold/tools/files";

/** The built-in tools by name. */
export const builtInTools: ReadonlyMap<string, BuiltInTool> = new Map([
  ["bash", { entry: "threadhold/tools/bash", member: "bash" }],
  ["read_file", { entry: files, member: "readFile" }],
  ["write_file", { entry: files, member: "writeFile" }],
  ["edit_file", { entry: files, member: "editFile" }],
  ["list_files", { entry: files, member: "listFiles" }],
  ["fetch_url", { entry: "threadhold/tools/web", member: "fetchUrl" }],
  ["search", { entry: files, member: "search" }],
]);
