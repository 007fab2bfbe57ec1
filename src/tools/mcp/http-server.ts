// The tools of an MCP server over HTTP, for programs. The session is opened once and is used until `close`; it is opened again after a restart
// of the server.

import { createLog } from "#lib/log-port.ts";
import { systemClock } from "#lib/system-clock.ts";

import { programRequests } from "../program-requests.ts";
import type { ProgramTool } from "../program-tool.ts";
import { ConnectedMcpClient } from "./mcp-client.ts";
import type { McpToolsOptions } from "./mcp-client.ts";
import { ReopenedSession } from "./reopened-session.ts";
import { McpServerError, serverError } from "./server-error.ts";
import { ServerSession } from "./server-session.ts";
import type { Server } from "./server-session.ts";

/** Options of a connection with an MCP server over HTTP. */
export interface McpHttpOptions {
  /** The name of the server in errors. Default: its host. */
  name?: string;
  /** Headers of every request, such as `authorization`. */
  headers?: Readonly<Record<string, string>>;
  /**
   * Hosts in private networks that the address may have, such as `localhost:3000`, in the notation of `ALLOWED_OUTBOUND_HOSTS`. These may use
   * http, and are not looked up.
   */
  allowedHosts?: readonly string[];
  /** The time limit of the connection, and of each request, in milliseconds. Default 60,000. */
  timeoutMs?: number;
  /** Receives lines about tools that cannot be used, and log messages of the server. Default: they are dropped. */
  log?: (line: string) => void;
}

/** An MCP server over HTTP. */
export interface HttpServerOptions extends McpHttpOptions, McpToolsOptions {
  /** The address of the server's endpoint. It has to be https and public, or its host has to be in `allowedHosts`. */
  url: string | URL;
}

/** A server with an open session. */
export interface HttpServer {
  /** The tools of the server, for `llm()` and `agent()`. */
  readonly tools: readonly ProgramTool[];
  /** Ends the session. Until then, its connection keeps a program of Node running. Never rejects. */
  close(): Promise<void>;
}

/** Opens a session with a server over HTTP: streamable HTTP, or HTTP with SSE for servers of 2024-11-05. */
export async function connectHttp(url: string | URL, options: McpHttpOptions = {}): Promise<ConnectedMcpClient> {
  const { headers = {}, allowedHosts = [], timeoutMs = 60_000, log = () => {} } = options;
  const address = URL.parse(String(url));
  if (address === null || !/^https?:$/.test(address.protocol)) {
    const message = "An MCP server over HTTP needs an address with https, or with http and its host in allowedHosts.";
    throw new McpServerError(message);
  }
  const { name = address.host } = options;
  const server: Server = { name, url: address, headers: { ...headers }, allowedHosts, timeoutMs, callMs: timeoutMs };
  const context = { clock: systemClock, log: createLog(log), fetch: programRequests() };
  const session = new ReopenedSession({
    name,
    clock: systemClock,
    open: (onEnd) => ServerSession.open(server, context, { onEnd, onToolsChanged: () => {} }),
  });
  return ConnectedMcpClient.open({
    name,
    timeoutMs,
    log,
    run: (request, isRepeatable) => session.run(request, isRepeatable),
    errorOf: (thrown) => serverError(name, thrown),
    close: () => session.close(),
  });
}

/** Opens a session with a server and lists its tools. */
export async function openHttpServer({ url, ...options }: HttpServerOptions): Promise<HttpServer> {
  const client = await connectHttp(url, options);
  const { prefix, tools } = options;
  try {
    const listed = { ...(prefix === undefined ? {} : { prefix }), ...(tools === undefined ? {} : { tools }) };
    return { tools: await client.tools(listed), close: () => client.close() };
  } catch (thrown) {
    await client.close();
    throw thrown;
  }
}
