// The tools of an MCP server that is a program of this machine, over its standard input and output. The program is started once and is used
// until `close`.

import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

import type { JsonObject } from "#contract/json.ts";
import { createLog } from "#lib/log-port.ts";
import { systemClock } from "#lib/system-clock.ts";

import { withTimeLimit } from "../limited-time.ts";
import { McpServerError, serverError } from "../mcp/server-error.ts";
import { callResult } from "../mcp/server-result.ts";
import type { CallResult } from "../mcp/server-result.ts";
import { ServerSession } from "../mcp/server-session.ts";
import { readTools } from "../mcp/tool-list.ts";
import type { ListedTool } from "../mcp/tool-list.ts";
import { BoundedMessages } from "./bounded-messages.ts";
import { readErrorOutput } from "./error-output.ts";
import { hostEnvironment } from "./host-environment.ts";
import { markedProcesses } from "./marked-processes.ts";
import type { MarkedProcesses } from "./marked-processes.ts";
import { nodeResult } from "./node-tool.ts";
import type { NodeTool } from "./node-tool.ts";

/** A program that is an MCP server. */
export interface StdioServerOptions {
  /** The name of the server in errors, and the default of `prefix`. */
  name: string;
  /** The program, such as `npx`. */
  command: string;
  args?: readonly string[];
  /** Variables of the program, in addition to `PATH`, `HOME` and the like. It receives no other variables of this process. */
  env?: Readonly<Record<string, string>>;
  /** The working directory of the program. Default: that of this process. */
  cwd?: string;
  /** The beginning of the tools' names: `docs__search` for the tool `search` with the prefix `docs`. */
  prefix?: string;
  /** The names of the server's tools to use, without the prefix. Default: all. */
  tools?: readonly string[];
  /** The time limit of the start, and of each call, in milliseconds. Default 60,000. */
  timeoutMs?: number;
  /** Receives the lines of the program's standard error, at most 200, and log messages of the server. Default: they are dropped. */
  log?: (line: string) => void;
}

/** A started server. */
export interface StdioServer {
  /** The tools of the server, for `llm()` and `agent()`. */
  readonly tools: readonly NodeTool[];
  /**
   * Closes the program's input, and ends the program if it continues. On Linux it also ends the programs that the program started. Calls that
   * are open are rejected. Never rejects.
   */
  close(): Promise<void>;
}

/** Milliseconds between the request that the programs of a closed server end (SIGTERM) and their kill. */
const graceMs = 2000;

/** Starts a server and lists its tools. Rejects if the program cannot be started, ends, or does not respond in time. */
export async function openStdioServer(options: StdioServerOptions): Promise<StdioServer> {
  const { name, prefix = name, tools: allowed, timeoutMs = 60_000, log = () => {} } = options;
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
  let session: ServerSession | undefined;
  try {
    // The types of the SDK and of this project treat absent members differently.
    session = await ServerSession.connect({ name, timeoutMs, callMs: timeoutMs }, context, {
      events,
      transport: transport as Transport,
    });
    const { items, problem } = await session.tools();
    const { list, omitted } = await readTools(items, { prefix, allowed, features: [], problem });
    if (omitted.count > 0) log(`Tools of the MCP server "${name}" cannot be used. ${omitted.text}`);
    return startedServer(list.tools, { name, session, messages, marked, timeoutMs, isEnded: () => isEnded });
  } catch (thrown) {
    await session?.close(context);
    await marked.end(graceMs);
    throw startError(options, requestError(name, messages, thrown), lastLines());
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
  return problem === null ? thrown : new McpServerError(`The MCP server "${name}" ${problem}`);
}

interface Started {
  name: string;
  session: ServerSession;
  messages: BoundedMessages;
  marked: MarkedProcesses;
  timeoutMs: number;
  isEnded: () => boolean;
}

function startedServer(listed: readonly ListedTool[], started: Started): StdioServer {
  let isClosed = false;
  const close = async () => {
    isClosed = true;
    await started.session.close({ clock: systemClock });
    // The command may be a launcher, such as `npx`, which ends before the program that it started.
    await started.marked.end(graceMs);
  };
  const isEnded = () => isClosed || started.isEnded();
  return {
    tools: listed.map((tool) => toolOf(tool, { ...started, isEnded })),
    close,
  };
}

function toolOf(tool: ListedTool, started: Started): NodeTool {
  return {
    name: tool.name,
    description: tool.description,
    parameters: { ...tool.parameters, type: "object" },
    async run(params, { signal }) {
      const result = await callTool(tool, started, { params: params as JsonObject, signal });
      return nodeResult(callResult(result, null) as Parameters<typeof nodeResult>[0]);
    },
  };
}

/** Calls a tool of the server. Rejects with an error that names the server. */
async function callTool(
  { serverName, isTask }: ListedTool,
  { name, session, messages, timeoutMs, isEnded }: Started,
  { params, signal }: { params: JsonObject; signal: AbortSignal },
): Promise<CallResult> {
  if (isEnded()) throw new McpServerError(`The program of the MCP server "${name}" has ended. Open the server again.`);
  const work = (limited: AbortSignal) =>
    session.call(serverName, params, { signal: limited, onProgress: () => {}, isTask });
  let result: CallResult | "timeout";
  try {
    result = await withTimeLimit(signal, timeoutMs, work);
  } catch (thrown) {
    signal.throwIfAborted();
    throw serverError(name, requestError(name, messages, thrown));
  }
  if (result !== "timeout") return result;
  throw new McpServerError(`The MCP server "${name}" did not respond within ${timeoutMs / 1000} s.`);
}

/** The error of a server that did not start, with the last lines of the program. */
function startError({ name, command }: StdioServerOptions, thrown: unknown, lines: string): Error {
  const isMissing = thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
  const reason = isMissing
    ? `The program ${JSON.stringify(command)} of the MCP server "${name}" is not found. Install it, or correct its command and cwd.`
    : serverError(name, thrown).message;
  return new McpServerError(lines === "" ? reason : `${reason} Its last lines were:\n${lines}`, { cause: thrown });
}
