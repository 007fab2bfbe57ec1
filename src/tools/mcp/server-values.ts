// The values of a definition for one thread: the address of the server and the headers of its requests, which functions of the definition
// may return, and the time limits.

import type { ToolsContext } from "#core/ports/tool-source-port.ts";
import { causeOf } from "#lib/log-port.ts";
import type { Log } from "#lib/log-port.ts";
import { sha256Hex } from "#lib/sha256.ts";
import { waitWithin } from "#lib/time-limit.ts";
import type { AnyMcpServerDefinition, McpContext } from "#spec/index.ts";

import { McpServerError } from "./server-error.ts";
import type { Server } from "./server-session.ts";

/** The thread and the deployment of the values. */
type ValuesContext = Pick<ToolsContext, "env" | "userId" | "threadId" | "clock" | "signal" | "log">;

/** Returns the context that the definition's functions receive. */
export function mcpContext({ env, userId, threadId }: Pick<ValuesContext, "env" | "userId" | "threadId">): McpContext {
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

/**
 * The error of a function of the definition that threw. The thrown value may contain secrets, so only the log of the deployment contains it.
 */
export function functionError(
  { name, member, log }: { name: string; member: string; log: Log },
  thrown: unknown,
): McpServerError {
  log("error", "mcp_function_failed", { server: name, function: member, cause: causeOf(thrown) });
  return new McpServerError(
    `The function \`${member}\` of the MCP server "${name}" threw an error. Correct the definition. The log of the deployment contains the error.`,
  );
}

/** Returns the address of the server. */
export function serverAddress({ name, url }: AnyMcpServerDefinition, context: ValuesContext): URL {
  let text = url;
  try {
    if (typeof text === "function") text = text(mcpContext(context));
  } catch (thrown) {
    throw functionError({ name, member: "url", log: context.log }, thrown);
  }
  const address = URL.parse(text);
  if (address !== null && /^https?:$/.test(address.protocol)) return address;
  throw new McpServerError(`The MCP server "${name}" has no valid address. Check the definition's url.`);
}

/** Returns the headers of the definition. Waits for the definition's function, at most as long as for a call. */
export async function serverHeaders(
  { name, headers = {} }: AnyMcpServerDefinition,
  context: ValuesContext,
  timeoutMs: number,
): Promise<Record<string, string>> {
  if (typeof headers !== "function") return { ...headers };
  const { clock, signal } = context;
  const end = (what: string) => () => {
    throw new McpServerError(`The function \`headers\` of the MCP server "${name}" ${what}.`);
  };
  const called = async () => {
    try {
      return await headers(mcpContext(context));
    } catch (thrown) {
      throw functionError({ name, member: "headers", log: context.log }, thrown);
    }
  };
  const values = await waitWithin(called, {
    timers: clock,
    milliseconds: timeoutMs,
    onTimeout: end(`did not return within ${timeoutMs / 1000} s`),
    abort: signal === undefined ? undefined : { signal, onAbort: end("was stopped") },
  });
  return { ...values };
}

/** Returns the server, and the key of its list of tools in memory. With OAuth, each owner has a list. */
export async function resolveServer(
  definition: AnyMcpServerDefinition,
  context: ToolsContext,
  given: Pick<Server, "url" | "timeoutMs" | "callMs">,
): Promise<{ server: Server; key: string }> {
  const { name, allowedHosts = [], oauth = false } = definition;
  const headers = await serverHeaders(definition, context, given.timeoutMs);
  const owner = oauth === false ? [] : [context.authorizations?.owner ?? null];
  const key = await sha256Hex(JSON.stringify([context.hash, name, given.url.href, headers, ...owner]));
  return { server: { name, headers, allowedHosts, ...given }, key };
}
