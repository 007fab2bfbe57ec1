// The three routes of AI SDK UI: post a message or results, which starts or continues a run and streams it, or answer again and edit, which
// make a branch; resume the stream of the active run after a reload; and read the stored conversation.

import type { z } from "zod";

import { refuse, ThreadholdError } from "#contract/error.ts";
import type { MessagePage } from "#contract/list-page.ts";
import { postMessageSchema } from "#contract/message-route.ts";
import { postRunSchema } from "#contract/run-route.ts";
import type { Run } from "#contract/run.ts";
import type { Message } from "#contract/thread-message.ts";
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
import { callsOf, idOf, readAnswers, readPostedInput, refusedOutput, roleOf } from "./posted-input.ts";
import type { PostedInput } from "./posted-input.ts";
import type { ChatRequest } from "./routes.ts";
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
      const call = { request, caller, prefix, threadId: params.id, isServerTool: await readTools() };
      if (body.trigger === "regenerate-message") return answerAgain(services, call, body);
      const input = readPostedInput(body);
      if (input.kind === "answers") return answerCalls(services, call, input);
      const edited = body.messageId === undefined ? null : await editedMessage(services, call, body);
      return edited === null ? sendMessage(services, call, input) : editMessage(services, call, { ...input, edited });
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

/** Answers again, on a new branch: the message that the request names, or the last one. */
async function answerAgain(services: Services, call: ChatCall, body: ChatRequest): Promise<Response> {
  return runBranch(services, call, { kind: "rerun", from: await answeredMessage(services, call, body) });
}

/** Replaces a message of the user on a new branch, and streams the run that answers it. */
async function editMessage(
  services: Services,
  call: ChatCall,
  { content, metadata, edited }: PostedMessage & { edited: string },
): Promise<Response> {
  checkContent(content, "messages");
  checkAnswerable({ role: "user", run: true, content, attachments: undefined }, "messages");
  checkMetadata(metadata);
  return runBranch(services, call, { kind: "branch", from: edited, content, metadata });
}

/** Starts a run on a new branch and streams it. An active run is ended: the chat does not show it any more. */
async function runBranch(services: Services, call: ChatCall, branch: z.input<typeof postRunSchema>): Promise<Response> {
  const { request, caller, prefix, threadId, isServerTool } = call;
  const body = parseInput(postRunSchema, { ...branch, when: "interrupt" });
  await services.limits.admit(caller);
  const lease = await services.leases.take(caller, { holder: { thread: threadId }, stream: "bridged", run: true });
  return withLease(lease, async () => {
    const { run, after } = await services.callThread<Admission>({
      threadId,
      repeatable: false,
      run: (stub) => stub.call("postRun", lease.caller, body, null),
    });
    if (run === null) throw refuse("internal", "The branch began no run.");
    const shown = { prefix, threadId, runId: run.id, knownCalls: [], isServerTool };
    return followRun(services, { ...shown, request, caller: lease.caller, after });
  });
}

/**
 * The stored message that is answered again. The id of an answer begins with that of its run; a message of the user has its own id, or one
 * that the chat gave it.
 */
async function answeredMessage(services: Services, call: ChatCall, body: ChatRequest): Promise<string> {
  const { messageId } = body;
  const asked = body.messages.at(-1);
  const [runId = ""] = messageId?.split(".") ?? [];
  const answer = messageId === undefined ? null : await found(() => readRun(services, call, runId));
  const last = answer?.message_ids.at(-1);
  if (last !== undefined) return last;
  const own = messageId === undefined ? null : await found(() => readMessage(services, call, messageId));
  if (own !== null) return own.id;
  const asking = idOf(asked);
  const question =
    typeof asking === "string" ? await editedMessage(services, call, { ...body, messageId: asking }) : null;
  if (question !== null) return question;
  throw refuse("message_not_found", "The conversation has no message to answer again. Load it with resumeStream().");
}

/**
 * The stored message that a message of the chat stands for; null if it was never stored. The chat chooses the ids of its messages. One whose
 * id is not stored is the message of the user with the same place among the messages of the user, if the thread has it.
 */
async function editedMessage(services: Services, call: ChatCall, body: ChatRequest): Promise<string | null> {
  const { messages, messageId = "" } = body;
  const stored = await found(() => readMessage(services, call, messageId));
  if (stored !== null) return stored.id;
  const isUser = (one: unknown): boolean => roleOf(one) === "user";
  const place = messages.slice(0, messages.findLastIndex((one) => idOf(one) === messageId) + 1).filter(isUser).length;
  return (await questions(services, call, place)).at(place - 1)?.id ?? null;
}

/** The first messages of the user on the current branch, at most `count`. */
async function questions({ callThread }: Services, { caller, threadId }: ChatCall, count: number): Promise<Message[]> {
  const asked: Message[] = [];
  for (let cursor: string | undefined; asked.length < count;) {
    const position = cursor === undefined ? {} : { cursor };
    const query = { limit: 1000, order: "asc" as const, include_silent: false, max_depth: 0, ...position };
    const page: MessagePage<Message> = await callThread({
      threadId,
      repeatable: true,
      run: (stub) => stub.call("listMessages", caller, query),
    });
    asked.push(...page.items.filter(({ role, side }) => role === "user" && side !== "b"));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  return asked.slice(0, count);
}

function readMessage({ callThread }: Services, { caller, threadId }: ChatCall, id: string): Promise<Message> {
  return callThread({ threadId, repeatable: true, run: (stub) => stub.call("getMessage", caller, id) });
}

function readRun({ callThread }: Services, { caller, threadId }: ChatCall, id: string): Promise<Run> {
  return callThread({ threadId, repeatable: true, run: (stub) => stub.call("getRun", caller, id) });
}

/** What a read returns; null if the thread has no such message or run. */
async function found<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (thrown) {
    const isMissing =
      thrown instanceof ThreadholdError && (thrown.code === "message_not_found" || thrown.code === "run_not_found");
    if (isMissing) return null;
    throw thrown;
  }
}
