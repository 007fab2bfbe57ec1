// The entry `threadhold/tools/bash`: the tool `bash`, a shell over the files of a thread, and the types of functions that run commands
// elsewhere.

import { createBashTool } from "./bash-tool.ts";

export { createBashTool, denyPatterns } from "./bash-tool.ts";
export type { BashArgs, BashOptions } from "./bash-tool.ts";
export type { CommandContext, CommandNetwork, CommandOutput, RunCommand } from "./run-command.ts";
export { runInThread } from "./run-in-thread.ts";

/** The tool `bash` with its default options. */
export const bash = createBashTool();
