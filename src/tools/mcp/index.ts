// The entry `threadhold/tools/mcp`: the tools of MCP servers. The generated registry imports it if the project has files in `agents/mcp/`, and
// programs use `openHttpServer`.

import type { AuthorizationModule } from "#core/ports/authorization-port.ts";

export { openHttpServer } from "./http-server.ts";
export type { HttpServer, HttpServerOptions, McpHttpOptions } from "./http-server.ts";
export type { McpToolsOptions } from "./mcp-client.ts";
export type { ProgramTool } from "../program-tool.ts";
export { openTools } from "./server-tools.ts";

const load = () => import("./oauth/authorization-module.ts");

/** The authorizations of servers with OAuth. Their module is loaded by the first request for one. */
export const authorization: AuthorizationModule = {
  begin: async (...input) => (await load()).authorization.begin(...input),
  place: async (...input) => (await load()).authorization.place(...input),
  complete: async (...input) => (await load()).authorization.complete(...input),
  isAuthorized: async (...input) => (await load()).authorization.isAuthorized(...input),
  remove: async (...input) => (await load()).authorization.remove(...input),
};
