// A client of an MCP server for programs (phi-core, McpClient): its tools, and single requests. It works in a session over any transport.

import type { Json, JsonObject } from "#contract/json.ts";

import { withTimeLimit } from "../limited-time.ts";
import { programResult } from "../program-tool.ts";
import type { ProgramTool } from "../program-tool.ts";
import type { ContentPart } from "./content-parts.ts";
import { McpServerError } from "./server-error.ts";
import { callResult } from "./server-result.ts";
import type { CallResult } from "./server-result.ts";
import { readTools } from "./tool-list.ts";
import type { ListedTool, ToolList } from "./tool-list.ts";

/**
 * What a client uses of an open session. The declarations of the package name no type of the protocol's own package, since that one needs the
 * types of Node.
 */
interface ClientSession {
  readonly serverInfo: McpServerInfo;
  readonly capabilities: object;
  tools(signal?: AbortSignal): Promise<{ items: unknown[]; problem: string | null }>;
  call(
    tool: string,
    args: JsonObject,
    options: { signal: AbortSignal; onProgress: () => void; isTask: boolean },
  ): Promise<CallResult>;
  request(request: { method: string; params?: JsonObject }, options: { signal: AbortSignal }): Promise<object>;
}

/** The connection of a client with its server. */
export interface McpConnection {
  /** The name of the server in errors. */
  readonly name: string;
  /** The time limit of a request in milliseconds. */
  readonly timeoutMs: number;
  /** Runs a request in the session. */
  run<T>(request: (session: ClientSession) => Promise<T>, isRepeatable: boolean): Promise<T>;
  /** The error of a failed request. It names the server. */
  errorOf(thrown: unknown): Error;
  /** Receives a text about tools that cannot be used. */
  log(text: string): void;
  /** Ends the session. Never rejects. */
  close(): Promise<void>;
}

/** The name and the version that a server states; empty if it states none. */
export interface McpServerInfo {
  name: string;
  version: string;
}

/** A tool of a server (phi-core, McpToolInfo). */
export interface McpToolInfo {
  /** The name of the tool on its server. */
  name: string;
  /** Empty if the server states none. */
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: JsonObject;
}

/** A part of the result of a call (phi-core, McpContent). A file that is no image is named in a text. */
export type McpContent = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };

/** The result of a call (phi-core, McpToolCallResult). */
export interface McpToolCallResult {
  content: McpContent[];
  /** Whether the tool reported an error. */
  isError: boolean;
  /** The structured content of the result, if the server sent one. */
  structuredContent?: Json;
}

/** Options of a request. */
export interface McpRequestOptions {
  /** Cancels the request. The server is notified. */
  signal?: AbortSignal;
}

/** Options of a client's tools. */
export interface McpToolsOptions {
  /** The beginning of the tools' names: `docs__search` for the tool `search` with the prefix `docs`. Default: the names of the server. */
  prefix?: string;
  /** The names of the server's tools to use, without the prefix. Default: all. */
  tools?: readonly string[];
}

/** A client with an open session. */
export class ConnectedMcpClient {
  /** The name and the version of the server. */
  readonly serverInfo: McpServerInfo;
  readonly #connection: McpConnection;
  /** The names of the tools whose calls are tasks. Null before the first list. */
  #tasks: ReadonlySet<string> | null = null;

  private constructor(connection: McpConnection, serverInfo: McpServerInfo) {
    this.#connection = connection;
    this.serverInfo = serverInfo;
  }

  /** Opens the session of a connection. Closes the connection if that fails. */
  static async open(connection: McpConnection): Promise<ConnectedMcpClient> {
    try {
      return new ConnectedMcpClient(connection, await connection.run(async (session) => session.serverInfo, true));
    } catch (thrown) {
      await connection.close();
      throw connection.errorOf(thrown);
    }
  }

  /** Returns the tools of the server. Tools that cannot be used are left out, and the log names them. */
  async listTools({ signal }: McpRequestOptions = {}): Promise<McpToolInfo[]> {
    const { tools } = await this.#list({}, signal);
    return tools.map(({ serverName, description, parameters }) => ({
      name: serverName,
      description,
      inputSchema: parameters,
    }));
  }

  /** Calls a tool by its name on the server. A result that reports an error has `isError`. */
  async callTool(name: string, args: JsonObject = {}, { signal }: McpRequestOptions = {}): Promise<McpToolCallResult> {
    const { content = [], value, status } = await this.#call(name, args, signal);
    return {
      content: (content as ContentPart[]).map(contentOf),
      isError: status === "error",
      ...(value === undefined ? {} : { structuredContent: value as Json }),
    };
  }

  /** Sends a request of the protocol, such as `resources/list`. Returns its result, whose fields are not checked. */
  async sendRequest(method: string, params?: JsonObject, { signal }: McpRequestOptions = {}): Promise<JsonObject> {
    const request = { method, ...(params === undefined ? {} : { params }) };
    const result = await this.#limited(signal, (own) =>
      this.#connection.run((session) => session.request(request, { signal: own }), false),
    );
    return result as JsonObject;
  }

  /** Returns the tools of the server for `llm()` and `agent()`. For loops, use `McpToolAdapter.fromClient` of `threadhold/loop/tools`. */
  async tools(options: McpToolsOptions = {}): Promise<ProgramTool[]> {
    const { tools } = await this.#list(options, undefined);
    return tools.map(({ name, serverName, description, parameters }) => ({
      name,
      description,
      parameters: { ...parameters, type: "object" },
      run: async (params, { signal }) => programResult(await this.#call(serverName, params as JsonObject, signal)),
    }));
  }

  /** Ends the session. A program over stdio receives the end of its input, and is ended if it continues. Later requests are refused. Never rejects. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  async #list({ prefix = "", tools: allowed }: McpToolsOptions, signal: AbortSignal | undefined): Promise<ToolList> {
    const { items, problem } = await this.#limited(signal, (own) =>
      this.#connection.run((session) => session.tools(own), true),
    );
    const { list, omitted } = await readTools(items, { prefix, allowed, features: [], problem });
    if (omitted.count > 0) {
      this.#connection.log(`Tools of the MCP server "${this.#connection.name}" cannot be used. ${omitted.text}`);
    }
    const taskTools = list.tools.filter(({ isTask }) => isTask);
    this.#tasks = new Set([...(this.#tasks ?? []), ...taskTools.map(({ serverName }) => serverName)]);
    return list;
  }

  async #call(tool: ListedTool["serverName"], args: JsonObject, signal: AbortSignal | undefined) {
    const result = await this.#limited(signal, (own) =>
      this.#connection.run(async (session) => {
        // Only a list states which calls have to be tasks.
        if (this.#tasks === null && "tasks" in session.capabilities) await this.#list({}, own);
        const isTask = this.#tasks?.has(tool) ?? false;
        return session.call(tool, args, { signal: own, onProgress: () => {}, isTask });
      }, false),
    );
    return callResult(result, null);
  }

  /** Limits the time of a request. Rejects with an error that names the server, or with the reason of the caller's signal. */
  async #limited<T>(signal: AbortSignal | undefined, work: (own: AbortSignal) => Promise<T>): Promise<T> {
    const { name, timeoutMs } = this.#connection;
    const outer = signal ?? new AbortController().signal;
    let result: T | "timeout";
    try {
      result = await withTimeLimit(outer, timeoutMs, work);
    } catch (thrown) {
      outer.throwIfAborted();
      throw this.#connection.errorOf(thrown);
    }
    if (result !== "timeout") return result;
    throw new McpServerError(`The MCP server "${name}" did not respond within ${timeoutMs / 1000} s.`);
  }
}

function contentOf(part: ContentPart): McpContent {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "image") return { type: "image", data: part.data, mimeType: part.mimeType };
  return {
    type: "text",
    text: `[A file of the type ${part.mimeType}${part.name === undefined ? "" : `: ${part.name}`}]`,
  };
}
