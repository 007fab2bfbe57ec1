// The entry `threadhold/loop/tools`: tools of MCP servers over HTTP and of OpenAPI documents, and skills, for loops, `llm()` and `agent()`.
// `threadhold/loop/tools/node` adds programs and files of a machine.

import { connectHttp } from "#tools/mcp/http-server.ts";
import type { McpClient as Client } from "#tools/mcp/mcp-client.ts";
import { SkillSet as Skills } from "#tools/skills/skill-set.ts";
import { loadThreadSkills } from "#tools/skills/state-skills.ts";

export { McpServerError as McpError } from "#tools/mcp/server-error.ts";
export type { McpErrorKind } from "#tools/mcp/server-error.ts";
export type { McpHttpOptions } from "#tools/mcp/http-server.ts";
export type {
  McpContent,
  McpRequestOptions,
  McpServerInfo,
  McpToolCallResult,
  McpToolInfo,
  McpToolsOptions,
} from "#tools/mcp/mcp-client.ts";
export { SkillLoadError as SkillError } from "#tools/skills/skill-set.ts";
export type { LoadedSkill, SkillErrorKind } from "#tools/skills/skill-set.ts";
export { McpToolAdapter } from "./mcp-tool-adapter.ts";
export { OpenApiAdapter } from "./open-api-adapter.ts";
export type { OpenApiConfig, OperationFilter } from "./open-api-adapter.ts";
export { OpenApiAuth } from "./open-api-auth.ts";

/** A client with an open session with an MCP server. */
export type McpClient = Client;

/** Connects to MCP servers. */
export const McpClient = {
  /** Opens a session with a server over HTTP. Rejects with an McpError. */
  connectHttp,
};

/** The skills that a program loaded, sorted by name. */
export type SkillSet = Skills;

/** Loads skills. */
export const SkillSet = {
  /** A set without skills. */
  empty: (): SkillSet => new Skills(),
  /** Loads the skills in the files of a thread, for a program in one of its tools. Default folder: `/skills`. */
  loadThread: loadThreadSkills,
};
