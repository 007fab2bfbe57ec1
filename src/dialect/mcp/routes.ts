// The route of MCP clients (Model Context Protocol, streamable HTTP).

import type { BuiltInRoute, RouteGroup } from "#contract/built-in-route.ts";

import { isResponse, rpcMessageSchema } from "./rpc-message.ts";

const mib = 1024 * 1024;

/** The path of the endpoint. */
export const mcpPath = "/mcp";

const mcpRoutes = {
  mcpMessage: {
    method: "POST",
    path: mcpPath,
    summary:
      "Takes one message of an MCP client. A call of a tool streams its progress and its result; every other request is answered with JSON",
    tag: "mcp",
    access: "user",
    ownPages: true,
    body: rpcMessageSchema,
    bodyLimit: 2 * mib,
    uncheckedBody: isResponse,
    answers: { 200: null, 202: null },
    requestHeaders: ["Mcp-Session-Id", "MCP-Protocol-Version"],
    stream: "negotiated",
  },
  mcpResume: {
    method: "GET",
    path: mcpPath,
    summary:
      "Continues the stream of a call after the event in the header Last-Event-ID. The server has no other streams",
    tag: "mcp",
    access: "user",
    ownPages: true,
    answers: { 200: null },
    requestHeaders: ["Last-Event-ID", "Mcp-Session-Id", "MCP-Protocol-Version"],
    stream: "negotiated",
  },
} as const satisfies Record<string, BuiltInRoute<"mcp">>;

export const mcpGroup = {
  name: "mcp",
  description: "Agents with `exposeAsTool` as tools of an MCP server, and the files of their threads as its resources.",
  routes: mcpRoutes,
} as const satisfies RouteGroup;
