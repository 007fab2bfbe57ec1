// The handlers of the routes of MCP clients. The server is loaded at its first request, because most deployments have no such client.

import type { HandlersOf } from "#http/route/handler.ts";
import type { Services } from "#http/services.ts";

import type { mcpGroup } from "./routes.ts";

export type McpHandlers = HandlersOf<(typeof mcpGroup)["routes"]>;

export function mcpHandlers(services: Services): McpHandlers {
  let server: McpHandlers | null = null;
  // The value is cached, not its promise: a promise may never settle after the request that created it has ended.
  const load = async (): Promise<McpHandlers> =>
    (server ??= (await import("./served-messages.ts")).createMcpServer(services));
  return {
    mcpMessage: async (call) => (await load()).mcpMessage(call),
    mcpResume: async (call) => (await load()).mcpResume(call),
  };
}
