// The two routes of MCP clients: messages, and streams that are continued. Nothing is kept in the isolate between requests but the list of
// the project's agents, which does not change while the Worker runs.

import { z } from "zod";

import { refuse, ThreadholdError } from "#contract/error.ts";
import type { PostedResult } from "#contract/tool-route.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import { errorAnswer } from "#http/answer/error-answer.ts";
import { emptyAnswer, jsonHeaders } from "#http/answer/json-answer.ts";
import { invalidField } from "#http/input/field-error.ts";
import { withLease } from "#http/limit/user-leases.ts";
import type { Services } from "#http/services.ts";
import { threadToolNames } from "#spec/thread-tool-names.ts";

import { readRun, streamCall } from "./call-stream.ts";
import { dismissal, elicitedAnswer, elicitedCall } from "./client-questions.ts";
import { negotiatedVersion, newSessionHeaders, readSession } from "./client-session.ts";
import type { ClientSession } from "./client-session.ts";
import { readEventId } from "./event-id.ts";
import { listTools, readAgentTools } from "./exposed-tools.ts";
import type { AgentTools } from "./exposed-tools.ts";
import type { McpHandlers } from "./handlers.ts";
import { callTool, cancelCall } from "./mcp-calls.ts";
import type { McpRequest } from "./mcp-calls.ts";
import { reachableThread } from "./reachable-thread.ts";
import { listResources, readResource, resourceTemplates } from "./resources.ts";
import { errorMessage, readParams, refusalError, requestIdSchema, resultMessage, RpcError } from "./rpc-message.ts";
import type { RpcNotification, RpcResponse } from "./rpc-message.ts";

const initializeSchema = z.object({ protocolVersion: z.string(), capabilities: z.unknown().optional() });
const cancelledSchema = z.object({ requestId: requestIdSchema });

const instructions =
  `Each agent is a tool. Its result has a thread_id: ${threadToolNames.message} continues that conversation, ` +
  `${threadToolNames.result} waits for it, ${threadToolNames.answer} answers what it waits for, ${threadToolNames.stop} stops it. ` +
  "Files of the conversations are resources.";

/** Creates the handlers of a deployment. */
export function createMcpServer(services: Services): McpHandlers {
  const { registry } = services.dependencies;
  let known: AgentTools | null = null;
  // The value is cached, not its promise: a promise may never settle after the request that created it has ended.
  const agents = async (): Promise<AgentTools> => (known ??= await readAgentTools(registry));
  return {
    async mcpMessage({ request, caller, body }) {
      const session = readSession(request);
      if (!("method" in body)) return acceptResponse(services, caller, body);
      if (!("id" in body)) return acceptNotification(services, { caller, session, message: body });
      checkAccept(request);
      return answerRequest(services, { request, caller, session, message: body }, await agents());
    },
    async mcpResume({ request, caller, headOnly }) {
      const last = request.headers.get("last-event-id");
      if (last === null || headOnly) {
        const message = "The server has no stream of its own. Send messages by POST.";
        return errorAnswer({ code: "method_not_allowed", message }, { allow: "POST" });
      }
      const session = readSession(request);
      const from = readEventId(last);
      if (from === null) throw invalidField("Last-Event-ID", "Is not the id of an event of this server");
      const { threadId } = from;
      await reachableThread(services.callThread, caller, threadId);
      await readRun(services, caller, from);
      const lease = await services.leases.take(caller, { holder: { thread: threadId }, stream: "bridged", run: false });
      return withLease(lease, () => streamCall(services, { request, caller: lease.caller, session, from }));
    },
  };
}

/** The specification demands both types. A client that accepts only JSON would not read the stream of a call. */
function checkAccept({ headers }: Request): void {
  const accept = headers.get("accept") ?? "*/*";
  const accepts = (type: string): boolean => accept.includes(type) || accept.includes("*/*");
  if (accepts("application/json") && accepts("text/event-stream")) return;
  throw invalidField("Accept", "Has to list application/json and text/event-stream");
}

/** Answers a request: with a stream or JSON for a call of a tool, with JSON for any other. */
async function answerRequest(services: Services, asked: McpRequest, agents: AgentTools): Promise<Response> {
  const { message } = asked;
  try {
    if (message.method === "tools/call") return await callTool(services, asked, agents);
    const { result, headers } = await resultOf(services, asked, agents);
    return new Response(resultMessage(message.id, result), { headers: { ...jsonHeaders, ...headers } });
  } catch (thrown) {
    const error = thrown instanceof ThreadholdError && isAboutRequest(thrown) ? refusalError(thrown) : thrown;
    if (!(error instanceof RpcError)) throw thrown;
    return new Response(errorMessage(message.id, error), { headers: jsonHeaders });
  }
}

/** Whether a refusal is about the request's content. The others keep their HTTP status, such as 429 and 503. */
function isAboutRequest({ code }: ThreadholdError): boolean {
  return code === "invalid_request" || code === "thread_not_found" || code === "file_not_found";
}

interface Result {
  result: object;
  headers?: Record<string, string>;
}

async function resultOf(services: Services, { caller, message }: McpRequest, agents: AgentTools): Promise<Result> {
  switch (message.method) {
    case "initialize":
      return initialize(services, message.params);
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: { tools: listTools(agents) } };
    case "resources/list":
      return { result: await listResources(services, caller, message) };
    case "resources/templates/list":
      return { result: resourceTemplates };
    case "resources/read":
      return { result: await readResource(services, caller, message) };
    default:
      throw new RpcError("methodNotFound", `The server has no method "${message.method}".`);
  }
}

function initialize({ dependencies }: Services, params: McpRequest["message"]["params"]): Result {
  const { protocolVersion, capabilities } = readParams(initializeSchema, params);
  return {
    result: {
      protocolVersion: negotiatedVersion(protocolVersion),
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: "threadhold", version: dependencies.version },
      instructions,
    },
    headers: newSessionHeaders(capabilities),
  };
}

/** Handles a cancellation. The other notifications change nothing. */
async function acceptNotification(
  services: Services,
  { caller, session, message }: { caller: Caller; session: ClientSession; message: RpcNotification },
): Promise<Response> {
  if (message.method === "notifications/cancelled") {
    const cancelled = cancelledSchema.safeParse(message.params);
    if (cancelled.success) await cancelCall(services, { caller, session, requestId: cancelled.data.requestId });
  }
  return emptyAnswer({}, 202);
}

/** Posts the answer of a person to the thread that asked for it. The stream of the call continues. */
async function acceptResponse(services: Services, caller: Caller, response: RpcResponse): Promise<Response> {
  const { callThread, leases } = services;
  const elicited = elicitedCall(response);
  if (elicited === null) throw refuse("invalid_request", `The server has sent no request "${response.id}".`);
  const { id: threadId } = await reachableThread(callThread, caller, elicited.threadId);
  const lease = await leases.take(caller, { holder: { thread: threadId }, stream: null, run: true });
  await withLease(lease, async () => {
    const post = (answer: PostedResult) =>
      callThread({
        threadId,
        repeatable: true,
        run: (stub) => stub.call("postToolResults", lease.caller, { results: [answer] }),
      });
    try {
      await post(elicitedAnswer(elicited, response));
    } catch (thrown) {
      const dismissed = thrown instanceof ThreadholdError ? dismissal(elicited, thrown) : null;
      if (dismissed !== null) await post(dismissed);
      throw thrown;
    }
  });
  return emptyAnswer({}, 202);
}
