// The coding tools on a folder of this machine, for `llm()` and `agent()`.

import { createBashTool } from "../bash/bash-tool.ts";
import type { BashOptions } from "../bash/bash-tool.ts";
import { createEditFileTool } from "../files/edit-file.ts";
import { createListFilesTool } from "../files/list-files.ts";
import { createReadFileTool } from "../files/read-file.ts";
import { createSearchTool } from "../files/search.ts";
import { createWriteFileTool } from "../files/write-file.ts";
import { programTool } from "../program-tool.ts";
import type { ProgramTool } from "../program-tool.ts";
import { hostShell } from "./host-shell.ts";
import { hostWorkspace } from "./host-workspace.ts";

/** Options of `hostCodingTools`. */
export interface HostCodingOptions {
  /** The folder of the tools, a path on this machine. */
  root: string;
  /** If true, or an object of options, the tools include `bash`, which runs commands as the user of this process. Default: false. */
  bash?: boolean | Pick<BashOptions, "denyPatterns" | "timeoutMs" | "maxOutputBytes" | "confirm" | "cwd" | "env">;
}

/** Describes `bash` on this machine to the model. */
const shellDescription = [
  "Runs a bash command on this machine, in the folder of the other tools. Programs that the command starts in the background end with it.",
  "Variables and the working directory do not last until the next command.",
].join(" ");

/**
 * Creates the tools `read_file`, `write_file`, `edit_file`, `list_files` and `search` on a folder of this machine, and `bash` if the option
 * `bash` is set. In the paths of the tools, `/` is the folder.
 */
export function hostCodingTools({ root, bash = false }: HostCodingOptions): ProgramTool[] {
  const workspace = hostWorkspace(root);
  const tools = [
    programTool("read_file", createReadFileTool({ workspace })),
    programTool("write_file", createWriteFileTool({ workspace })),
    programTool("edit_file", createEditFileTool({ workspace })),
    programTool("list_files", createListFilesTool({ workspace })),
    programTool("search", createSearchTool({ workspace })),
  ];
  if (bash === false) return tools;
  const options = bash === true ? {} : bash;
  const shell = createBashTool({ ...options, run: hostShell(root), description: shellDescription });
  return [...tools, programTool("bash", shell)];
}
