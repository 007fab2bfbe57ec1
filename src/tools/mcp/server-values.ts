// The values of a definition for one thread: the address of the server and the headers of its requests, which functions of the definition
// may return, and the time limits.

import type { ToolsContext } from "#core/ports/tool-source-port.ts";
import { sha256Hex } from "#lib/sha256.ts";
import { waitWithin } from "#lib/time-limit.ts";
import type { AnyMcpServerDefinition, McpContext } from "#spec/index.ts";

import { McpServerError } from "./server-error.ts";
import type { Server } from "./server-session.ts";

/** Returns the context that the definition's functions receive. */
export function mcpContext({ env, userId, threadId }: ToolsContext): McpContext {
  return { env, userId, threadId };
}

/** Time limits in milliseconds. */
export interface CallTimes {
  /** The limit of a call without its questions. */
  timeoutMs: number;
  /** The time for which a call may wait for answers to its questions. */
  waitMs: number;
  /** The limit of a call with its questions. */
  callMs: number;
}

const defaultTimeoutMs = 60_000;
const defaultWaitMs = 10 * 60_000;

/**
 * The difference in milliseconds between the time limit of a call that may ask questions and the sum of its own limits, which have better
 * error texts.
 */
const slackMs = 5000;

/** Returns the time limits of a definition. */
export function callTimes({
  timeoutMs = defaultTimeoutMs,
  elicitation = false,
  elicitationTimeoutMs: waitMs = defaultWaitMs,
}: AnyMcpServerDefinition): CallTimes {
  return { timeoutMs, waitMs, callMs: elicitation ? timeoutMs + waitMs + slackMs : timeoutMs };
}

/** Returns the address of the server. */
export function serverAddress({ name, url }: AnyMcpServerDefinition, context: ToolsContext): URL {
  const address = URL.parse(typeof url === "function" ? url(mcpContext(context)) : url);
  if (address !== null && /^https?:$/.test(address.protocol)) return address;
  throw new McpServerError(`The MCP server "${name}" has no valid address. Check the definition's url.`);
}

/** Returns the server, and the key of its list of tools in memory. */
export async function resolveServer(
  { name, headers = {}, allowedHosts = [] }: AnyMcpServerDefinition,
  context: ToolsContext,
  given: Pick<Server, "url" | "timeoutMs" | "callMs">,
): Promise<{ server: Server; key: string }> {
  const values = typeof headers === "function" ? await inTime(async () => headers(mcpContext(context))) : headers;
  const key = await sha256Hex(JSON.stringify([context.hash, name, given.url.href, values]));
  return { server: { name, headers: { ...values }, allowedHosts, ...given }, key };

  /** Waits for the definition's function, at most as long as for a call. */
  function inTime<T>(work: () => Promise<T>): Promise<T> {
    const { clock, signal } = context;
    const end = (what: string) => () => {
      throw new McpServerError(`The function \`headers\` of the MCP server "${name}" ${what}.`);
    };
    return waitWithin(work, {
      timers: clock,
      milliseconds: given.timeoutMs,
      onTimeout: end(`did not return within ${given.timeoutMs / 1000} s`),
      abort: signal === undefined ? undefined : { signal, onAbort: end("was stopped") },
    });
  }
}
