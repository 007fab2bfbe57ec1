// The three routes of AI SDK UI: post a message or results, which starts or continues a run and streams it; resume the
// stream of the active run after a reload; and read the stored conversation.

import { refuse, ThreadholdError } from "#contract/error.ts";
import { postMessageSchema } from "#contract/message-route.ts";
import type { PostedResult } from "#contract/tool-route.ts";
import type { Admission, Caller, PostedResults, RequestKey } from "#core/rpc/thread-rpc.ts";
import { jsonHeaders } from "#http/answer/json-answer.ts";
import { checkAnswerable, checkContent, checkMetadata } from "#http/input/message-size.ts";
import { parseInput } from "#http/input/parse-input.ts";
import { fingerprint } from "#http/input/request-key.ts";
import { withLease } from "#http/limit/user-leases.ts";
import type { Services } from "#http/services.ts";

import { followRun, waitingRun } from "./chat-stream.ts";
import type { AiSdkHandlers } from "./handlers.ts";
import { messagesBody } from "./messages-body.ts";
import { callsOf, readAnswers, readPostedInput, refusedOutput } from "./posted-input.ts";
import type { PostedInput } from "./posted-input.ts";
import { readServerTools } from "./tool-parts.ts";
import type { FileOwner, IsServerTool } from "./tool-parts.ts";

/** A request to the chat of a thread. */
interface ChatCall extends FileOwner {
  request: Request;
  caller: Caller;
  isServerTool: IsServerTool;
}

export function createChatHandlers(services: Services): AiSdkHandlers {
  const { callThread, dependencies } = services;
  const { prefix } = dependencies;
  let serverTools: IsServerTool | null = null;
  // The value is cached, not its promise: a promise may never settle after the request that created it has ended.
  const readTools = async (): Promise<IsServerTool> => (serverTools ??= await readServerTools(dependencies.registry));
  return {
    async aiSdkChat({ request, params, caller, body }) {
      if (body.trigger === "regenerate-message") throw notAvailable("Generating an answer again");
      const input = readPostedInput(body);
      const call = { request, caller, prefix, threadId: params.id, isServerTool: await readTools() };
      if (input.kind === "answers") return answerCalls(services, call, input);
      if (body.messageId !== undefined) await checkIsNew(services, call, body.messageId);
      return sendMessage(services, call, input);
    },
    async aiSdkResume({ request, params, caller, headOnly }) {
      const threadId = params.id;
      const thread = await callThread({ threadId, repeatable: true, run: (stub) => stub.call("describe", caller) });
      const { active_run_id: runId, status, last_seq: passedSeq } = thread;
      if (runId === null || status !== "running") return new Response(null, { status: 204 });
      const run = await callThread({ threadId, repeatable: true, run: (stub) => stub.call("getRun", caller, runId) });
      if (headOnly || run.first_seq === null) return new Response(null, { status: 204 });
      const after = run.first_seq - 1;
      const lease = await services.leases.take(caller, { holder: { thread: threadId }, stream: "bridged", run: false });
      const isServerTool = await readTools();
      const shown = { prefix, threadId, runId, knownCalls: [], isServerTool, passedSeq };
      return withLease(lease, () => followRun(services, { ...shown, request, caller: lease.caller, after }));
    },
    async aiSdkMessages({ params, caller }) {
      const threadId = params.id;
      await services.limits.list(caller);
      const page = (cursor: string | null) =>
        callThread({ threadId, repeatable: true, run: (stub) => stub.call("readTranscript", caller, cursor) });
      const first = await page(null);
      const body = messagesBody({ first, more: page, prefix, isServerTool: await readTools() });
      return new Response(body, { headers: jsonHeaders });
    },
  };
}

type PostedMessage = Extract<PostedInput, { kind: "message" }>;
type PostedAnswers = Extract<PostedInput, { kind: "answers" }>;

/** Admits a message of the user and streams its run. */
async function sendMessage(services: Services, call: ChatCall, message: PostedMessage): Promise<Response> {
  const { request, caller, prefix, threadId, isServerTool } = call;
  const { id, content, metadata } = message;
  checkContent(content, "messages");
  checkAnswerable({ role: "user", run: true, content, attachments: undefined }, "messages");
  checkMetadata(metadata);
  // The client chose the id for this one message, so a message that is sent twice is admitted once.
  const key = id === "" ? null : { key: `ai-sdk ${id}`, fingerprint: await fingerprint("aiSdkChat", content) };
  await services.limits.admit(caller);
  const lease = await services.leases.take(caller, { holder: { thread: threadId }, stream: "bridged", run: true });
  return withLease(lease, async () => {
    const posting = { ...call, caller: lease.caller, content, metadata, key };
    const { run, after } = await postMessage(services, posting);
    if (run === null) throw refuse("internal", "The message began no run.");
    const shown = { prefix, threadId, runId: run.id, knownCalls: [], isServerTool };
    return followRun(services, { ...shown, request, caller: lease.caller, after });
  });
}

type Posting = ChatCall & Pick<PostedMessage, "content" | "metadata"> & { key: RequestKey | null };

/**
 * Posts the message, which starts a run or is queued after the active one. A thread that waits for results refuses
 * messages.
 */
async function postMessage({ callThread }: Services, posting: Posting): Promise<Admission> {
  const { caller, threadId, content, metadata, key } = posting;
  const post = (when: "reject" | "queue"): Promise<Admission> => {
    const message = parseInput(postMessageSchema, { content, metadata, when });
    const run: Parameters<typeof callThread<Admission>>[0]["run"] = (stub) =>
      stub.call("postMessage", caller, message, key);
    return callThread({ threadId, repeatable: key !== null, run });
  };
  try {
    return await post("reject");
  } catch (thrown) {
    if (!(thrown instanceof ThreadholdError) || thrown.refusal.details?.["run_id"] === undefined) throw thrown;
    const { status } = await callThread({ threadId, repeatable: true, run: (stub) => stub.call("describe", caller) });
    if (status === "awaiting_tool_execution") throw thrown;
    return post("queue");
  }
}

/** Posts the outputs and approvals that the thread waits for, and streams the run if none is missing. */
async function answerCalls(services: Services, call: ChatCall, { message, path }: PostedAnswers): Promise<Response> {
  const { callThread, leases } = services;
  const { request, caller, prefix, threadId, isServerTool } = call;
  const { pending_tool_calls: pending } = await callThread({
    threadId,
    repeatable: true,
    run: (stub) => stub.call("describe", caller),
  });
  const results = readAnswers(message, path, pending);
  if (results.length === 0) throw refuse("conflict", "The message answers no call that the thread waits for.");
  const lease = await leases.take(caller, { holder: { thread: threadId }, stream: "bridged", run: true });
  return withLease(lease, async () => {
    const { run, after } = await postAnswers(services, { threadId, caller: lease.caller, results });
    // The stream continues the posted message, which may be another UI message than the run's first one.
    const messageId = message.id.startsWith(`${run.id}.`) ? message.id : run.id;
    const streamed = { prefix, threadId, runId: run.id, messageId, knownCalls: callsOf(message), isServerTool };
    if (run.status !== "awaiting_tool_execution") {
      return followRun(services, { ...streamed, request, caller: lease.caller, after });
    }
    await lease.giveBack();
    return waitingRun(streamed);
  });
}

/**
 * Posts the answers. If the thread refuses an output because of its content, for example because it is too large, the call gets an error
 * result with the reason. The chat reads this result from the stream.
 */
async function postAnswers(
  services: Services,
  { threadId, caller, results }: { threadId: string; caller: Caller; results: readonly PostedResult[] },
): Promise<PostedResults> {
  try {
    return await services.callThread({
      threadId,
      repeatable: true,
      run: (stub) => stub.call("postToolResults", caller, { results: [...results] }),
    });
  } catch (thrown) {
    const refused = thrown instanceof ThreadholdError ? refusedResult(thrown, results) : undefined;
    if (!(thrown instanceof ThreadholdError) || refused === undefined) throw thrown;
    const changed = results.map((one) => (one === refused ? refusedOutput(one.tool_call_id, thrown) : one));
    return postAnswers(services, { threadId, caller, results: changed });
  }
}

/** The output that a refusal is about; undefined if it is about something else. An error result is none, so each call is changed once. */
function refusedResult({ code, refusal }: ThreadholdError, results: readonly PostedResult[]): PostedResult | undefined {
  if (code !== "too_large" && code !== "invalid_request") return undefined;
  const id = refusal.details?.["tool_call_id"];
  return results.find((one) => one.tool_call_id === id && (one.result !== undefined || one.content !== undefined));
}

/**
 * Refuses to edit a stored message, because an edit needs a branch of the conversation. A message that never arrived
 * may be sent again.
 */
async function checkIsNew({ callThread }: Services, { caller, threadId }: ChatCall, id: string): Promise<void> {
  try {
    await callThread({ threadId, repeatable: true, run: (stub) => stub.call("getMessage", caller, id) });
  } catch (thrown) {
    if (thrown instanceof ThreadholdError && thrown.code === "message_not_found") return;
    throw thrown;
  }
  throw notAvailable("Editing a message that was answered");
}

function notAvailable(what: string): ThreadholdError {
  return refuse("not_available", `${what} is not available: a thread has no branches yet. Send a new message.`);
}
