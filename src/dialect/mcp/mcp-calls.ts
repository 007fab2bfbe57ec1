// Calls of tools. A call of an agent creates a thread and sends it the first message. The other tools continue such a thread. The thread of
// a call is reserved under the session and the id of the request, so a request that is sent again follows the first one's run, and a
// cancellation finds the run, whichever isolate receives it.

import { v4 as randomId } from "uuid";
import { z } from "zod";

import { refuse, ThreadholdError } from "#contract/error.ts";
import { isFinished } from "#contract/finished.ts";
import { jsonObjectSchema } from "#contract/json.ts";
import type { Json, JsonObject } from "#contract/json.ts";
import { postMessageSchema } from "#contract/message-route.ts";
import type { Run } from "#contract/run.ts";
import { postedResultSchema } from "#contract/tool-route.ts";
import type { Caller, RequestKey } from "#core/rpc/thread-rpc.ts";
import { jsonAnswer } from "#http/answer/json-answer.ts";
import { checkAnswerable, checkContent } from "#http/input/message-size.ts";
import { parseInput } from "#http/input/parse-input.ts";
import { fingerprint } from "#http/input/request-key.ts";
import { withLease } from "#http/limit/user-leases.ts";
import type { TakenLease } from "#http/limit/user-leases.ts";
import type { Services } from "#http/services.ts";
import { parseCounted, ZodBoundError } from "#lib/counted-zod.ts";
import { resultValue } from "#lib/json-value.ts";
import { threadToolNames } from "#spec/thread-tool-names.ts";

import { readRun, streamCall } from "./call-stream.ts";
import type { ClientSession } from "./client-session.ts";
import { progressTokenSchema } from "./event-id.ts";
import { followUpSchemas } from "./exposed-tools.ts";
import type { AgentTool, AgentTools } from "./exposed-tools.ts";
import { reachableThread, threadTag } from "./reachable-thread.ts";
import { firstIssue, readParams, RpcError } from "./rpc-message.ts";
import type { RequestId, RpcRequest } from "./rpc-message.ts";
import { errorResult, threadResult, refusedResult, runResult } from "./run-result.ts";
import type { CallResult } from "./run-result.ts";

/** A request of a client. */
export interface McpRequest {
  request: Request;
  caller: Caller;
  session: ClientSession;
  message: RpcRequest;
}

const callParamsSchema = z.object({
  name: z.string(),
  arguments: jsonObjectSchema.default({}),
  _meta: z.object({ progressToken: progressTokenSchema.optional() }).optional(),
});

/** A call with its parameters. */
interface ToolCall extends McpRequest {
  id: RequestId;
  name: string;
  args: JsonObject;
  progressToken: RequestId | null;
}

/** The result of a call that is not streamed. */
type Immediate = { result: CallResult };

/** Answers `tools/call`. A refusal of the API is the call's result, so that a model can read it. */
export async function callTool(services: Services, asked: McpRequest, agents: AgentTools): Promise<Response> {
  const { name, arguments: args, _meta } = readParams(callParamsSchema, asked.message.params);
  const { id } = asked.message;
  const call: ToolCall = { ...asked, id, name, args, progressToken: _meta?.progressToken ?? null };
  try {
    const answer = await answerCall(services, call, agents);
    return answer instanceof Response ? answer : resultAnswer(id, answer.result);
  } catch (thrown) {
    if (!(thrown instanceof ThreadholdError) || thrown.code === "internal") throw thrown;
    return resultAnswer(id, refusedResult(thrown));
  }
}

function resultAnswer(id: RequestId, result: CallResult): Response {
  return jsonAnswer({ jsonrpc: "2.0", id, result });
}

function answerCall(services: Services, call: ToolCall, agents: AgentTools): Promise<Response | Immediate> {
  const agent = agents.get(call.name);
  if (agent !== undefined) return startThread(services, call, agent);
  if (agents.size > 0) {
    switch (call.name) {
      case threadToolNames.message:
        return withArguments(followUpSchemas[threadToolNames.message], call, (args) =>
          continueThread(services, call, args),
        );
      case threadToolNames.result:
        return withArguments(followUpSchemas[threadToolNames.result], call, (args) =>
          awaitThread(services, call, args),
        );
      case threadToolNames.answer:
        return withArguments(followUpSchemas[threadToolNames.answer], call, (args) =>
          answerThread(services, call, args),
        );
      case threadToolNames.stop:
        return withArguments(followUpSchemas[threadToolNames.stop], call, (args) => stopThread(services, call, args));
    }
  }
  throw new RpcError("invalidParams", `There is no tool "${call.name}".`);
}

/** Checks the arguments. A model reads what is wrong with them. */
async function withArguments<S extends z.ZodType>(
  schema: S,
  { args }: ToolCall,
  work: (args: z.output<S>) => Promise<Response | Immediate>,
): Promise<Response | Immediate> {
  let read: ReturnType<S["safeParse"]>;
  try {
    read = parseCounted(schema, args);
  } catch (thrown) {
    if (!(thrown instanceof ZodBoundError)) throw thrown;
    return { result: errorResult(`The arguments cannot be checked. ${thrown.message}`) };
  }
  if (!read.success) return { result: errorResult(`Invalid arguments. ${firstIssue(read.error)}`) };
  return work(read.data as z.output<S>);
}

/** Creates a thread of the agent and sends the arguments as its first message. */
function startThread(services: Services, call: ToolCall, agent: AgentTool): Promise<Response | Immediate> {
  return withArguments(agent.schema, call, async (args) => {
    const { caller } = call;
    const text = firstText(args as JsonObject, agent);
    checkText(text);
    await services.limits.create(caller);
    const key = await requestKey(call);
    const { threadId, creation } = await reserveThread(services, call, { key, threadId: randomId() });
    const create = async (leased: Caller): Promise<void> => {
      const created = { id: threadId, user_id: caller.user, agent_id: agent.name, tags: [threadTag], creation };
      await services.callThread({
        threadId,
        repeatable: true,
        run: (stub) => stub.call("create", leased, created),
      });
    };
    return admit(services, call, { threadId, text, key, create });
  });
}

/** The text of the first message: the argument `task` if the prompt has no schema, else all arguments as JSON. */
function firstText(args: JsonObject, { prompt }: AgentTool): string {
  const task = prompt.requiredSchema === undefined ? args["task"] : undefined;
  return typeof task === "string" ? task : JSON.stringify(args);
}

function checkText(text: string): void {
  checkContent(text, "message");
  checkAnswerable({ role: "user", run: true, content: text, attachments: undefined }, "message");
}

type FollowUp<N extends keyof typeof followUpSchemas> = z.output<(typeof followUpSchemas)[N]>;

/** Sends a message to an existing thread. */
async function continueThread(
  services: Services,
  call: ToolCall,
  { thread_id, message: text }: FollowUp<"thread_message">,
): Promise<Response | Immediate> {
  checkText(text);
  const { id: threadId } = await reachableThread(services.callThread, call.caller, thread_id);
  const key = await requestKey(call);
  await reserveThread(services, call, { key, threadId });
  return admit(services, call, { threadId, text, key });
}

/** A message that starts a run. */
interface SentMessage {
  threadId: string;
  text: string;
  key: RequestKey | null;
  /** Creates the thread if the message is its first one. */
  create?: (leased: Caller) => Promise<void>;
}

/** Takes the leases, creates a new thread, posts the message and follows its run. */
async function admit(
  services: Services,
  call: ToolCall,
  { threadId, text, key, create }: SentMessage,
): Promise<Response | Immediate> {
  const { callThread, leases, limits } = services;
  const message = parseInput(postMessageSchema, { content: text, when: "reject" });
  await limits.admit(call.caller);
  const lease = await leases.take(call.caller, { holder: { thread: threadId }, stream: "bridged", run: true });
  return withLease(lease, async () => {
    await create?.(lease.caller);
    const { run, after, repeated } = await callThread({
      threadId,
      repeatable: key !== null,
      run: (stub) => stub.call("postMessage", lease.caller, message, key),
    });
    if (run === null) throw refuse("internal", "The message began no run.");
    const at = { threadId, runId: run.id };
    const isCancelled = key !== null && (await wasCancelled(services, call, key));
    if (isCancelled) await stopRun(services, call.caller, { threadId, key: key.key });
    const current = repeated || isCancelled ? await readRun(services, lease.caller, at) : run;
    return follow(services, call, { threadId, run: current, after, lease });
  });
}

interface Followed {
  threadId: string;
  run: Run;
  /** Number of the event before the first one to read. */
  after: number;
  lease: TakenLease;
}

/** Streams the run, or returns the result of a run that has ended. */
async function follow(
  services: Services,
  { request, session, id: requestId, progressToken }: ToolCall,
  { threadId, run, after: seq, lease }: Followed,
): Promise<Response | Immediate> {
  if (isFinished(run.status)) {
    await lease.giveBack();
    return { result: runResult(threadId, run) };
  }
  const from = { threadId, runId: run.id, requestId, progressToken, seq };
  return streamCall(services, { request, caller: lease.caller, session, from });
}

/**
 * The number of the event before the run's first one. A stream from there replays the run, so it includes the event with the calls that the
 * run waits for.
 */
function beforeRun({ first_seq }: Run): number {
  return Math.max(0, (first_seq ?? 1) - 1);
}

/** Waits for the active run, or returns the result of the last one. */
async function awaitThread(
  services: Services,
  call: ToolCall,
  { thread_id }: FollowUp<"thread_result">,
): Promise<Response | Immediate> {
  const { callThread, leases } = services;
  const { id: threadId } = await reachableThread(callThread, call.caller, thread_id);
  const { items } = await callThread({
    threadId,
    repeatable: true,
    run: (stub) => stub.call("listRuns", call.caller, { limit: 1, order: "desc" }),
  });
  const [run] = items;
  if (run === undefined) return { result: threadResult(threadId, `The thread ${threadId} has no run.`) };
  const lease = await leases.take(call.caller, { holder: { thread: threadId }, stream: "bridged", run: false });
  return withLease(lease, () => follow(services, call, { threadId, run, after: beforeRun(run), lease }));
}

/** Posts the answer to a waiting call and follows the run. */
async function answerThread(
  services: Services,
  call: ToolCall,
  { thread_id, call_id, result, ...given }: FollowUp<"thread_answer">,
): Promise<Response | Immediate> {
  const { callThread, leases } = services;
  const { id: threadId } = await reachableThread(callThread, call.caller, thread_id);
  const answer = {
    tool_call_id: call_id,
    ...given,
    ...(result === undefined ? {} : { result: resultValue(result) as Json }),
  };
  const posted = parseInput(postedResultSchema, answer);
  const lease = await leases.take(call.caller, { holder: { thread: threadId }, stream: "bridged", run: true });
  return withLease(lease, async () => {
    const { run } = await callThread({
      threadId,
      repeatable: true,
      run: (stub) => stub.call("postToolResults", lease.caller, { results: [posted] }),
    });
    return follow(services, call, { threadId, run, after: beforeRun(run), lease });
  });
}

/** Stops the active run. */
async function stopThread(
  services: Services,
  call: ToolCall,
  { thread_id }: FollowUp<"thread_stop">,
): Promise<Response | Immediate> {
  const { callThread } = services;
  const { id: threadId } = await reachableThread(callThread, call.caller, thread_id);
  await callThread({ threadId, repeatable: true, run: (stub) => stub.call("stop", call.caller, null) });
  return { result: threadResult(threadId, `The run of the thread ${threadId} is stopped.`) };
}

const keyOf = (session: string, id: RequestId): string => `mcp ${session} ${JSON.stringify(id)}`;

/** The idempotency key of a request; null without a session, because the ids of requests are then not unique. */
async function requestKey({ session, id, name, args }: ToolCall): Promise<RequestKey | null> {
  if (session.id === null) return null;
  return { key: keyOf(session.id, id), fingerprint: await fingerprint("mcp", [name, args]) };
}

/** The fingerprint of a reservation that a cancellation made, because it arrived before its request. */
const cancelled = "cancelled";

/** Reserves the thread of a request. If the request was sent before, returns the thread of the first request. */
async function reserveThread(
  { dependencies: { catalog, now } }: Services,
  { caller }: ToolCall,
  { key, threadId }: { key: RequestKey | null; threadId: string },
): Promise<{ threadId: string; creation: string }> {
  if (key === null) return { threadId, creation: randomId() };
  const reserved = await catalog.reserveCreation({ owner: caller.user, ...key, threadId, now: now() });
  if (reserved.fingerprint === cancelled) throw refuse("conflict", "The request was cancelled.");
  if (reserved.fingerprint !== key.fingerprint) {
    throw refuse(
      "conflict",
      "The id of this request was used before for another request. Use each id once in a session.",
    );
  }
  if (reserved.removed) throw refuse("thread_not_found", "The thread of this request was deleted.");
  return { threadId: reserved.threadId, creation: await fingerprint("mcp", [caller.user, key.key, key.fingerprint]) };
}

/** The key under which the cancellation of a request is stored. */
const cancellationOf = (key: string): string => `${key} cancelled`;

/**
 * Whether a request was cancelled while its message was posted. `cancelCall` stores the cancellation before it looks for the run, and the
 * request reads the cancellation after the run has begun, so one of the two stops the run.
 */
function wasCancelled({ dependencies }: Services, { caller }: ToolCall, { key }: RequestKey): Promise<boolean> {
  const { catalog, now } = dependencies;
  return catalog.isReserved({ owner: caller.user, key: cancellationOf(key), now: now() });
}

function stopRun(
  { callThread }: Services,
  caller: Caller,
  { threadId, key }: { threadId: string; key: string },
): Promise<unknown> {
  return callThread({ threadId, repeatable: true, run: (stub) => stub.call("stop", caller, null, key) });
}

/** Stops the run that a request started. A request that has not arrived yet will be refused. */
export async function cancelCall(
  services: Services,
  { caller, session, requestId }: { caller: Caller; session: ClientSession; requestId: RequestId },
): Promise<void> {
  if (session.id === null) return;
  const { dependencies, limits } = services;
  const { catalog, now } = dependencies;
  await limits.change(caller);
  const key = keyOf(session.id, requestId);
  const wanted = { owner: caller.user, key, fingerprint: cancelled, threadId: randomId(), now: now() };
  const { fingerprint: found, threadId, removed } = await catalog.reserveCreation(wanted);
  if (found === cancelled || removed) return;
  await catalog.reserveCreation({ ...wanted, key: cancellationOf(key) });
  try {
    await stopRun(services, caller, { threadId, key });
  } catch (thrown) {
    // The request has reserved its thread and has not created it yet, or was refused.
    if (!(thrown instanceof ThreadholdError) || thrown.code !== "thread_not_found") throw thrown;
  }
}
