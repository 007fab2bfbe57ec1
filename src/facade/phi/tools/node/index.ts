// The entry `threadhold/loop/tools/node`: everything of `threadhold/loop/tools`, and what needs a machine: MCP servers that are programs, skills
// and documents in files, and the coding tools on a folder.

import { readFile } from "node:fs/promises";

import { hostCodingTools, loadSkillDir, loadSkills } from "#tools/node/index.ts";
import { connectStdio } from "#tools/node/stdio-server.ts";
import type { McpStdioOptions } from "#tools/node/stdio-server.ts";

import { convertTool } from "../../convert-tool.ts";
import { LoopError } from "../../loop-error.ts";
import type { AgentTool } from "../../loop-tool.ts";
import { McpClient as Clients, OpenApiAdapter as Adapters, SkillSet as Skills } from "../index.ts";
import type { OpenApiConfig, OperationFilter } from "../index.ts";

export { McpError, McpToolAdapter, OpenApiAuth, SkillError } from "../index.ts";
export type {
  ConnectedMcpClient,
  LoadedSkill,
  LoadedSkillSet,
  McpContent,
  McpErrorKind,
  McpHttpOptions,
  McpRequestOptions,
  McpServerInfo,
  McpToolCallResult,
  McpToolInfo,
  McpToolsOptions,
  OpenApiConfig,
  OperationFilter,
  ProgramTool,
  SkillErrorKind,
} from "../index.ts";

/** Options of a program that is an MCP server. */
export interface McpProgramOptions extends Omit<McpStdioOptions, "command" | "args"> {
  /** The name of the server in errors. Default: the command. */
  name?: string;
}

/** A client with an open session with an MCP server. */
export type McpClient = Clients;

/** Connects to MCP servers. */
export const McpClient = {
  ...Clients,
  /** Starts a program that is an MCP server, and opens a session over its standard input and output. Rejects with an McpError. */
  connectStdio: (
    command: string,
    args: readonly string[] = [],
    { name = command, ...options }: McpProgramOptions = {},
  ): Promise<McpClient> => connectStdio({ ...options, name, command, args }),
};

/** The skills that a program loaded, sorted by name. */
export type SkillSet = Skills;

/** Loads skills. */
export const SkillSet = {
  ...Skills,
  /** Loads the skills of several folders. A skill of a later folder replaces one of an earlier folder; an absent folder is skipped. */
  load: loadSkills,
  /** Loads the skills of one folder, with the source that each of them gets. */
  loadDir: loadSkillDir,
};

/** The maximum number of bytes of a document in a file. */
const mostBytes = 32 * 1024 * 1024;

/** Reads OpenAPI documents, and returns a tool for each operation that has an id and matches the filter. Other operations are logged. */
export const OpenApiAdapter = {
  ...Adapters,
  /** Reads the document of a file, in JSON or YAML. */
  async fromFile(path: string, config: OpenApiConfig = {}, filter: OperationFilter = "All"): Promise<AgentTool[]> {
    return Adapters.fromStr(await documentText(path), config, filter);
  },
};

async function documentText(path: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (thrown) {
    const { code } = thrown as { code?: unknown };
    throw new LoopError(`The OpenAPI document ${path} cannot be read: the system reports ${String(code)}.`);
  }
  if (bytes.byteLength > mostBytes)
    throw new LoopError(
      `The OpenAPI document ${path} has ${bytes.byteLength} bytes, and at most ${mostBytes} are read.`,
    );
  return bytes.toString("utf8");
}

/** Returns the six coding tools on a folder of this machine: bash, read_file, write_file, edit_file, list_files and search. */
export function defaultTools({ root }: { root: string }): AgentTool[] {
  return hostCodingTools({ root, bash: true }).map(convertTool);
}
