// The entry `threadhold/tools/node`: tools for programs in Node: the coding tools on a folder of this machine, the tools of MCP servers that
// are programs of this machine, and the skills of its folders.

export { hostCodingTools } from "./coding-tools.ts";
export type { HostCodingOptions } from "./coding-tools.ts";
export { hostShell } from "./host-shell.ts";
export type { HostShellOptions } from "./host-shell.ts";
export { hostWorkspace } from "./host-workspace.ts";
export type { ProgramTool as NodeTool } from "../program-tool.ts";
export type { LoadedSkill, LoadedSkillSet } from "../skills/skill-set.ts";
export { loadSkillDir, loadSkills } from "./skill-folders.ts";
export { openStdioServer } from "./stdio-server.ts";
export type { StdioServer, StdioServerOptions } from "./stdio-server.ts";
