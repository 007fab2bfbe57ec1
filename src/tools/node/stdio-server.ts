// The tools of an MCP server that is a program of this machine, over its standard input and output. The program is started once and is used
// until `close`.

import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { createLog } from "#lib/log-port.ts";
import { systemClock } from "#lib/system-clock.ts";

import { ConnectedMcpClient } from "../mcp/mcp-client.ts";
import type { McpToolsOptions } from "../mcp/mcp-client.ts";
import { McpServerError, serverError } from "../mcp/server-error.ts";
import { ServerSession } from "../mcp/server-session.ts";
import type { ProgramTool } from "../program-tool.ts";
import { BoundedMessages } from "./bounded-messages.ts";
import { readErrorOutput } from "./error-output.ts";
import { hostEnvironment } from "./host-environment.ts";
import { markedProcesses } from "./marked-processes.ts";

/** A program that is an MCP server. */
export interface McpStdioOptions {
  /** The program, such as `npx`. */
  command: string;
  args?: readonly string[];
  /** Variables of the program, in addition to `PATH`, `HOME` and the like. It receives no other variables of this process. */
  env?: Readonly<Record<string, string>>;
  /** The working directory of the program. Default: that of this process. */
  cwd?: string;
  /** The time limit of the start, and of each call, in milliseconds. Default 60,000. */
  timeoutMs?: number;
  /** Receives the lines of the program's standard error, at most 200, and log messages of the server. Default: they are dropped. */
  log?: (line: string) => void;
}

/** A program that is an MCP server, and which of its tools are used. */
export interface StdioServerOptions extends McpStdioOptions, McpToolsOptions {
  /** The name of the server in errors, and the default of `prefix`. */
  name: string;
}

/** A started server. */
export interface StdioServer {
  /** The tools of the server, for `llm()` and `agent()`. */
  readonly tools: readonly ProgramTool[];
  /**
   * Closes the program's input, and ends the program if it continues. On Linux it also ends the programs that the program started. Calls that
   * are open are rejected. Never rejects.
   */
  close(): Promise<void>;
}

/** Milliseconds between the request that the programs of a closed server end (SIGTERM) and their kill. */
const graceMs = 2000;

/** Starts a server. Rejects if the program cannot be started, ends, or does not respond in time. */
export async function connectStdio(options: McpStdioOptions & { name: string }): Promise<ConnectedMcpClient> {
  const { name, timeoutMs = 60_000, log = () => {} } = options;
  const marked = markedProcesses();
  const transport = new StdioClientTransport({
    command: options.command,
    args: [...(options.args ?? [])],
    env: { ...hostEnvironment(), ...options.env, ...marked.env },
    stderr: "pipe",
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const messages = boundMessages(transport);
  // With `pipe` the SDK creates this stream before the start.
  const lastLines = readErrorOutput(transport.stderr as Parameters<typeof readErrorOutput>[0], log);
  let isEnded = false;
  const onEnd = () => {
    isEnded = true;
  };
  const context = { clock: systemClock, log: createLog(log) };
  const events = { onEnd, onToolsChanged: () => {}, mostMessages: Infinity, mostRequests: Infinity };
  const started = { events, transport };
  let session: ServerSession;
  try {
    session = await ServerSession.connect({ name, timeoutMs, callMs: timeoutMs }, context, started);
  } catch (thrown) {
    await marked.end(graceMs);
    throw startError(name, options.command, { error: requestError(name, messages, thrown), lines: lastLines() });
  }
  return ConnectedMcpClient.open({
    name,
    timeoutMs,
    log,
    async run(request) {
      if (!isEnded) return request(session);
      const message = `The program of the MCP server "${name}" has ended. Open the server again.`;
      throw new McpServerError(message, { kind: "ConnectionClosed" });
    },
    errorOf: (thrown) =>
      serverError(name, thrown instanceof McpServerError ? thrown : requestError(name, messages, thrown)),
    async close() {
      isEnded = true;
      await session.close({ clock: systemClock });
      // The command may be a launcher, such as `npx`, which ends before the program that it started.
      await marked.end(graceMs);
    },
  });
}

/** Starts a server and lists its tools. Rejects if the program cannot be started, ends, or does not respond in time. */
export async function openStdioServer(options: StdioServerOptions): Promise<StdioServer> {
  const { name, prefix = name, tools } = options;
  const client = await connectStdio(options);
  try {
    const listed = await client.tools({ prefix, ...(tools === undefined ? {} : { tools }) });
    return { tools: listed, close: () => client.close() };
  } catch (thrown) {
    await client.close();
    throw thrown;
  }
}

/** Puts a bounded buffer in the place of the transport's own one, which its type does not show, and shows it what is sent. */
function boundMessages(transport: StdioClientTransport): BoundedMessages {
  const messages = new BoundedMessages();
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    messages.sent(message);
    return send(message);
  };
  Object.assign(transport, { _readBuffer: messages });
  return messages;
}

/** The error of a request: the bound that a message exceeds, or else what was thrown. */
function requestError(name: string, { problem }: BoundedMessages, thrown: unknown): unknown {
  return problem === null ? thrown : new McpServerError(`The MCP server "${name}" ${problem}`, { kind: "Protocol" });
}

/** The error of a server that did not start, with the last lines of the program. */
function startError(name: string, command: string, { error, lines }: { error: unknown; lines: string }): Error {
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  const known = serverError(name, error);
  const reason = isMissing
    ? `The program ${JSON.stringify(command)} of the MCP server "${name}" is not found. Install it, or correct its command and cwd.`
    : known.message;
  return new McpServerError(lines === "" ? reason : `${reason} Its last lines were:\n${lines}`, {
    kind: known instanceof McpServerError ? known.kind : "Transport",
    cause: error,
  });
}
