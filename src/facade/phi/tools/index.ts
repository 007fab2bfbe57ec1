// The entry `threadhold/loop/tools`: tools of MCP servers over HTTP and of OpenAPI documents, and skills, for loops, `llm()` and `agent()`.
// `threadhold/loop/tools/node` adds programs and files of a machine.

import { connectHttp } from "#tools/mcp/http-server.ts";
import type { ConnectedMcpClient } from "#tools/mcp/mcp-client.ts";
import { LoadedSkillSet } from "#tools/skills/skill-set.ts";
import { loadThreadSkills } from "#tools/skills/state-skills.ts";

export { McpServerError as McpError } from "#tools/mcp/server-error.ts";
export type { McpErrorKind } from "#tools/mcp/server-error.ts";
export type { McpHttpOptions } from "#tools/mcp/http-server.ts";
export type {
  ConnectedMcpClient,
  McpContent,
  McpRequestOptions,
  McpServerInfo,
  McpToolCallResult,
  McpToolInfo,
  McpToolsOptions,
} from "#tools/mcp/mcp-client.ts";
export { SkillLoadError as SkillError } from "#tools/skills/skill-set.ts";
export type { LoadedSkill, LoadedSkillSet, SkillErrorKind } from "#tools/skills/skill-set.ts";
export type { ProgramTool } from "#tools/program-tool.ts";
export { McpToolAdapter } from "./mcp-tool-adapter.ts";
export { OpenApiAdapter } from "./open-api-adapter.ts";
export type { OpenApiConfig, OperationFilter } from "./open-api-adapter.ts";
export { OpenApiAuth } from "./open-api-auth.ts";

/** A client with an open session with an MCP server. */
export type McpClient = ConnectedMcpClient;

/** Connects to MCP servers. */
export const McpClient = {
  /** Opens a session with a server over HTTP. Rejects with an McpError. */
  connectHttp,
};

/** The skills that a program loaded, sorted by name. */
export type SkillSet = LoadedSkillSet;

/** Loads skills. */
export const SkillSet = {
  /** A set without skills. */
  empty: (): SkillSet => new LoadedSkillSet(),
  /** Loads the skills in the files of a thread, for a program in one of its tools. Default folder: `/skills`. */
  loadThread: loadThreadSkills,
};
