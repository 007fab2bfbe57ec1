// A session with an MCP server: over streamable HTTP; over HTTP with SSE, if the server has the protocol version 2024-11-05; or over a
// transport of the caller, such as the streams of a program.

import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type {
  Client,
  JsonSchemaValidatorResult,
  jsonSchemaValidator,
  Progress,
  Request,
  ServerCapabilities,
  Transport,
} from "@modelcontextprotocol/client";
import { z } from "zod";

import type { JsonObject } from "#contract/json.ts";
import type { ToolsContext } from "#core/ports/tool-source-port.ts";
import type { Fields } from "#lib/json-value.ts";
import { waitWithin } from "#lib/time-limit.ts";

import { outsideText } from "../outside-text.ts";
import { cursorIn, listIn } from "./read-items.ts";
import type { OmittedItems } from "./read-items.ts";
import {
  httpStatus,
  isSentError,
  McpServerError,
  NoSessionInTime,
  ProtocolMismatch,
  sentError,
} from "./server-error.ts";
import { serverFetch } from "./server-fetch.ts";
import { readCallResult } from "./server-result.ts";
import type { CallResult } from "./server-result.ts";
import { sentNotifications, watchSession } from "./session-events.ts";
import type { ProgressReceivers, SessionEvents } from "./session-events.ts";
import { sseTransport } from "./sse-transport.ts";
import { callTask } from "./task-call.ts";
import { TolerantClient } from "./tolerant-client.ts";
import { mostTools } from "./tool-list.ts";

/** A server of a session. */
interface NamedServer {
  name: string;
  timeoutMs: number;
  /** The time limit of a call in milliseconds, with the time of its questions to a person. */
  callMs: number;
}

/** A server, with the values that the definition's functions return for one thread. */
export interface Server extends NamedServer {
  url: URL;
  headers: Record<string, string>;
  allowedHosts: readonly string[];
}

/** The dependencies of a session over a transport of the caller. */
export type SessionContext = Pick<ToolsContext, "clock" | "log" | "signal">;

/** The time limit in milliseconds of the request that ends a session. */
const closeMs = 5000;

/** The difference in milliseconds between the time limits of the SDK and the shorter one of the call, which has a better error text. */
const slackMs = 5000;

/** The maximum number of pages of a server's list of tools. */
const mostPages = 50;

/**
 * The schema of every result. The SDK's own schemas refuse a whole result because of one odd element, and build an error for each wrong
 * element, so the fields are read afterwards (`read-items.ts`).
 */
const anyResult = z.looseObject({});

/** The maximum number of elements in a log line about elements that were left out. */
const mostLogged = 20;

/** The maximum length of a text about a server's name or version. */
const versionLimit = 100;

/** The elements of a server's list of tools, and the reason why the rest of the list is not read; null if the list is complete. */
export interface GivenTools {
  items: unknown[];
  problem: string | null;
}

interface CallOptions {
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
  isTask: boolean;
}

/** An open session. */
export class ServerSession {
  readonly #server: NamedServer;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #clock: ToolsContext["clock"];
  readonly #log: ToolsContext["log"];
  /** The notifications of cancelled calls that are being sent. */
  readonly #notifications: Set<Promise<unknown>>;
  readonly #receivers: ProgressReceivers;
  /** The last token of a request with progress. */
  #progressToken = 0;

  private constructor(
    server: NamedServer,
    {
      client,
      transport,
      context: { clock, log },
      notifications,
      receivers,
    }: {
      client: Client;
      transport: Transport;
      context: SessionContext;
      notifications: Set<Promise<unknown>>;
      receivers: ProgressReceivers;
    },
  ) {
    this.#server = server;
    this.#clock = clock;
    this.#log = log;
    this.#client = client;
    this.#transport = transport;
    this.#notifications = notifications;
    this.#receivers = receivers;
  }

  /** Opens a session. Rejects if it is not open within the server's time limit. */
  static async open(
    server: Server,
    context: SessionContext & Pick<ToolsContext, "fetch">,
    events: SessionEvents,
  ): Promise<ServerSession> {
    const { url, headers } = server;
    const timeoutMs = server.callMs + slackMs;
    const options = (isOneStream: boolean) => ({
      fetch: serverFetch({ ...server, timeoutMs, isOneStream, fetch: context.fetch }),
      requestInit: { headers },
    });
    try {
      return await ServerSession.connect(server, context, {
        events,
        transport: new StreamableHTTPClientTransport(url, options(false)),
      });
    } catch (thrown) {
      // The specification of MCP describes the attempt with SSE after a status 4xx. There is no second attempt if the server refuses the
      // credentials or limits the rate.
      const status = httpStatus(thrown) ?? 0;
      if (status < 400 || status > 499 || status === 401 || status === 403 || status === 429) throw thrown;
      return ServerSession.connect(server, context, { events, transport: sseTransport(url, options(true)) }).catch(
        () => {
          throw thrown;
        },
      );
    }
  }

  /** Opens a session over a transport. Rejects if it is not open within the server's time limit. */
  static async connect(
    server: NamedServer,
    context: SessionContext,
    { events, transport }: { events: SessionEvents; transport: Transport },
  ): Promise<ServerSession> {
    const capabilities = {
      ...(events.onSample === undefined ? {} : { sampling: {} }),
      ...(events.onQuestion === undefined ? {} : { elicitation: { form: {} } }),
    };
    const client = new TolerantClient(
      { name: "threadhold", version: "1" },
      // Versions from 2026-07-28 have no session, so the client does not ask for them.
      { jsonSchemaValidator: uncheckedSchemas, capabilities, versionNegotiation: { mode: "legacy" } },
    );
    const { clock, signal } = context;
    const notifications = sentNotifications(transport);
    const receivers: ProgressReceivers = new Map();
    watchSession(client, transport, { name: server.name, log: context.log, events, receivers });
    try {
      await waitWithin(() => client.connect(transport, { timeout: server.timeoutMs + slackMs }), {
        timers: clock,
        milliseconds: server.timeoutMs,
        onTimeout: () => {
          throw new NoSessionInTime(server.name);
        },
        abort:
          signal === undefined
            ? undefined
            : {
                signal,
                onAbort: () => {
                  throw new McpServerError(`The session with the MCP server "${server.name}" was stopped.`);
                },
              },
      });
    } catch (thrown) {
      // The SDK closes the client only if the server refuses the session. In other cases its event source would reconnect without end.
      await client.close();
      await transport.close();
      throw thrown;
    }
    client.onclose = events.onEnd;
    return new ServerSession(server, { client, transport, context, notifications, receivers });
  }

  /**
   * Requests the elements of the server's list of tools until there are at least `mostTools`. Empty if the server does not declare the
   * capability, but declares others. The elements are not read yet. If a further page cannot be read, those before it stay.
   */
  async tools(signal?: AbortSignal): Promise<GivenTools> {
    const { capabilities } = this;
    const hasNone = Object.keys(capabilities).length === 0;
    if (capabilities.tools === undefined && !hasNone) return { items: [], problem: null };
    const items: unknown[] = [];
    const ends = this.#clock.now() + this.#server.timeoutMs * 1000;
    /** The position of the next page; empty for the first one. */
    let cursor: string | number = "";
    const cursors = new Set<string | number>([cursor]);
    for (let page = 0; page < mostPages && items.length < mostTools; page += 1) {
      // A server that counts its pages gets the number that it sent.
      const params = page === 0 ? {} : { cursor: cursor as string };
      const timeout = Math.max(1, (ends - this.#clock.now()) / 1000);
      const options = { timeout, ...(signal === undefined ? {} : { signal }) };
      try {
        const listed = await this.#sent(this.#client.request({ method: "tools/list", params }, anyResult, options));
        for (const tool of listIn(listed["tools"], "tools")) items.push(tool);
        cursor = cursorIn(listed);
      } catch (thrown) {
        const isOfServer = isSentError(thrown) || thrown instanceof ProtocolMismatch;
        if (page === 0 && hasNone && isSentError(thrown)) return { items, problem: null };
        if (page === 0 || !isOfServer || !(thrown instanceof Error)) throw thrown;
        return { items, problem: `The next page could not be read: ${thrown.message}` };
      }
      // Some servers send an empty text, or the same positions again and again, at the end.
      if (cursors.has(cursor)) return { items, problem: null };
      cursors.add(cursor);
    }
    return { items, problem: "The list has further pages, which are not read." };
  }

  /** The capabilities that the server declares. */
  get capabilities(): ServerCapabilities {
    return this.#client.getServerCapabilities() ?? {};
  }

  /** The name and the version that the server states, each as bounded text; empty if it states none. */
  get serverInfo(): { name: string; version: string } {
    const { name = "", version = "" } = this.#client.getServerVersion() ?? {};
    return { name: outsideText(name, versionLimit), version: outsideText(version, versionLimit) };
  }

  /** The name and the version that the server states, in one text; null if it states none. */
  get version(): string | null {
    const { name, version } = this.serverInfo;
    const text = outsideText(`${name} ${version}`, versionLimit).trim();
    return text === "" ? null : text;
  }

  /** Calls a tool. If the signal fires, the server is notified. */
  async call(tool: string, args: JsonObject, { signal, onProgress, isTask }: CallOptions): Promise<CallResult> {
    this.#progressToken += 1;
    const progressToken = this.#progressToken;
    const params = { name: tool, arguments: args, _meta: { progressToken } };
    this.#receivers.set(progressToken, onProgress);
    try {
      if (!isTask) return readCallResult(await this.request({ method: "tools/call", params }, { signal }));
      const timeout = this.#server.callMs + slackMs;
      const onCancel = (sent: Promise<unknown>) => this.#notifications.add(sent);
      const onCreate = <T>(sent: Promise<T>) => this.#sent(sent);
      const onState = (message: string) => onProgress({ progress: 0, message });
      const task = { signal, timeout, onState, onCreate, onCancel, clock: this.#clock };
      return readCallResult(await callTask(this.#client, params, task));
    } finally {
      this.#receivers.delete(progressToken);
    }
  }

  /** Sends a request, and returns its result, whose fields are not checked. If the signal fires, the server is notified. */
  request(request: Request, { signal }: { signal: AbortSignal }): Promise<Fields> {
    const timeout = this.#server.callMs + slackMs;
    return this.#sent(this.#client.request(request, anyResult, { signal, timeout }));
  }

  /** Logs the elements of a response that were left out. */
  logOmitted(what: string, { count, kept }: OmittedItems): void {
    if (count === 0) return;
    const items = kept.slice(0, mostLogged).map(({ name, problem }) => `${name}: ${problem}`);
    this.#log("warning", "mcp_items_omitted", { server: this.#server.name, of: what, count, items });
  }

  /** The result of a request's message. Rejects with `SessionLost` if the server does not know the session. */
  async #sent<T>(sent: Promise<T>): Promise<T> {
    try {
      return await sent;
    } catch (thrown) {
      // The transport of 2024-11-05 has the session in the address to which it sends.
      const { sessionId } = this.#transport;
      throw sentError(thrown, sessionId !== undefined || !(this.#transport instanceof StreamableHTTPClientTransport));
    }
  }

  /** Ends the session on the server and closes its connections, after the notifications of cancelled calls are sent. Never rejects. */
  async close(context: Pick<ToolsContext, "clock">): Promise<void> {
    delete this.#client.onclose;
    const transport = this.#transport;
    const end = async () => {
      await Promise.allSettled(this.#notifications);
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
    };
    try {
      await waitWithin(end, { timers: context.clock, milliseconds: closeMs, onTimeout: () => undefined });
    } catch {
      // The server ends an unused session itself.
    }
    await this.#client.close().catch(() => undefined);
  }
}

/**
 * Replaces the SDK's validators of results, of which the one for Node generates code. This one accepts every
 * value: `server-tools.ts` checks results, and the methods of the SDK that would use the validator are not called.
 */
const uncheckedSchemas: jsonSchemaValidator = {
  getValidator:
    <T>() =>
    (input: unknown): JsonSchemaValidatorResult<T> => ({ valid: true, data: input as T, errorMessage: undefined }),
};
