// The two routes of sessions: execute, and read a session. The input of an execution is stored before its run is
// streamed. A client that disconnects does not stop the run.

import { refuse, ThreadholdError } from "#contract/error.ts";
import { postMessageSchema } from "#contract/message-route.ts";
import { threadNameSchema } from "#contract/named-thread-id.ts";
import { AgentEvents } from "#contract/session/execution-events.ts";
import { inputContent, postedResult } from "#contract/session/initial-transcript.ts";
import type { SessionToolCall } from "#contract/session/session-message.ts";
import { toPendingCall } from "#contract/session/session-transcript.ts";
import type { Caller, InputSetup, PostedMessage, PostedResults, RequestKey } from "#core/rpc/thread-rpc.ts";
import { jsonHeaders } from "#http/answer/json-answer.ts";
import { sseHeaders, sseResponse } from "#http/bridge/sse-response.ts";
import { Subscription } from "#http/bridge/thread-subscription.ts";
import { invalidField } from "#http/input/field-error.ts";
import { checkAnswerable, checkContent } from "#http/input/message-size.ts";
import { readRequestKey } from "#http/input/request-key.ts";
import { withLease } from "#http/limit/user-leases.ts";
import type { Services } from "#http/services.ts";

import { executeInput } from "./execute-input.ts";
import type { ExecuteInput } from "./execute-input.ts";
import { executionFormat, suspendedExecution } from "./execution-lines.ts";
import { createFindThread, pastTheEnd, readSession } from "./find-thread.ts";
import type { SessionThread } from "./find-thread.ts";
import type { SessionHandlers } from "./handlers.ts";
import { projectFacts } from "./project-facts.ts";
import type { ProjectFacts } from "./project-facts.ts";
import { sessionBody } from "./session-body.ts";
import { checkModel, createSession } from "./session-creation.ts";

export function createSessionHandlers(services: Services): SessionHandlers {
  const { callThread, limits, leases, dependencies } = services;
  const facts = projectFacts(dependencies.registry);
  const findThread = createFindThread(callThread);
  return {
    async executeSession({ request, caller, body }) {
      const { session_id, ...given } = executeInput(body);
      checkInput(given);
      const { session, mayBegin } = await findThread(caller, session_id);
      const context = mayBegin ? given.context : null;
      const { threadId } = session;
      const key = await readRequestKey(request, "executeSession", body);
      await limits.admit(caller);
      if (context !== null) await limits.create(caller);
      const known = await facts();
      checkModel(dependencies.registry, given.options);
      const taken = await leases.take(caller, { holder: { thread: threadId }, stream: "bridged", run: true });
      return withLease(taken, async () => {
        if (context !== null) await createSession(services, { caller, session, context, options: given.options });
        const posting = { caller: taken.caller, session, execution: given, key };
        const posted = await orMissingContext(given.context === null, () => postInput(services, posting));
        const suspended = await suspendedCalls(services, { caller: taken.caller, session, posted });
        if (suspended !== null) await taken.giveBack();
        return streamOf(services, { request, caller: taken.caller, session, posted, suspended, known });
      });
    },
    async getSession({ params, caller }) {
      const { session_id } = params;
      if (!threadNameSchema.safeParse(session_id).success)
        throw refuse("thread_not_found", "There is no such session.");
      await limits.list(caller);
      const { session } = await findThread(caller, session_id);
      const page = (cursor: string | null) => readSession(callThread, { caller, session, cursor });
      const first = await page(null);
      const { providers } = await facts();
      const body = sessionBody({ id: session_id, first, more: page, providers });
      return new Response(body, { headers: jsonHeaders });
    },
  };
}

/** An input for a session whose thread is known. */
interface Posting {
  caller: Caller;
  session: SessionThread;
  execution: Omit<ExecuteInput, "session_id">;
  key: RequestKey | null;
}

type Posted = PostedMessage | PostedResults;

/** Posts the message, which starts a run, or the results, which continue one. */
function postInput({ callThread }: Services, { caller, session, execution, key }: Posting): Promise<Posted> {
  const { threadId, name: sessionName, owner, derived } = session;
  const { input, options, limits } = execution;
  const setup: InputSetup = { options, ...(derived ? { named: { name: sessionName, owner } } : {}) };
  if (Array.isArray(input)) {
    if (limits !== null) throw invalidField("options.limits", "not together with results");
    const results = input.map(postedResult);
    // A repeated request would be refused, because results that were accepted are no longer pending.
    return callThread({
      threadId,
      repeatable: false,
      run: (stub) => stub.call("postToolResults", caller, { results }, { ...setup, onlyWhileWaiting: true }),
    });
  }
  const content = inputContent(input);
  const message = postMessageSchema.parse({ content, when: "reject", ...(limits === null ? {} : { limits }) });
  return callThread({
    threadId,
    repeatable: key !== null,
    run: (stub) => stub.call("postMessage", caller, message, key, setup),
  });
}

/**
 * Returns the open calls with their arguments if the run still waits for results; null if the run is to be streamed.
 */
async function suspendedCalls(
  { callThread }: Services,
  { caller, session, posted }: { caller: Caller; session: SessionThread; posted: Posted },
): Promise<SessionToolCall[] | null> {
  if (!("missing" in posted) || posted.run.status !== "awaiting_tool_execution") return null;
  const { thread, pending } = await readSession(callThread, { caller, session, cursor: pastTheEnd });
  return thread.status === "awaiting_tool_execution" ? pending.map(toPendingCall) : null;
}

/** Reports a missing context if a request without context names a session that does not exist for the caller. */
async function orMissingContext<T>(continues: boolean, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!continues || !(thrown instanceof ThreadholdError) || thrown.code !== "thread_not_found") throw thrown;
    throw invalidField("context", "There is no such session; a new one needs a context");
  }
}

function checkInput({ input, context }: Pick<ExecuteInput, "input" | "context">): void {
  if (!Array.isArray(input)) {
    const content = inputContent(input);
    checkContent(content, "input.content");
    checkAnswerable({ role: "user", run: true, content, attachments: undefined }, "input.content");
  }
  for (const [index, message] of (context?.messages ?? []).entries()) {
    if (message.role === "user") checkContent(inputContent(message), `context.messages.${String(index)}.content`);
  }
}

interface FollowedExecution {
  request: Request;
  caller: Caller;
  session: SessionThread;
  posted: Posted;
  suspended: SessionToolCall[] | null;
  known: ProjectFacts;
}

async function streamOf(services: Services, followed: FollowedExecution): Promise<Response> {
  const { request, caller, session, posted, suspended, known } = followed;
  const { run, after, client_tools } = posted;
  if (run === null) throw refuse("internal", "The message began no run.");
  const { name: sessionId, threadId } = session;
  const clientTools = new Set(client_tools);
  const events = new AgentEvents({
    sessionId,
    runId: run.id,
    providers: known.providers,
    isRemote: (name) => known.remoteTools.has(name) || clientTools.has(name),
  });
  const headers = { "x-session-id": sessionId };
  if (suspended !== null) {
    return new Response(suspendedExecution(events, suspended), { headers: { ...sseHeaders, ...headers } });
  }
  // Events of nested loops are left out: a call shows only its result.
  const query = { run_id: run.id, after: String(after), depth: "0", include_silent: "false" };
  const { threads } = services.dependencies;
  const subscription = await Subscription.open({ threads, threadId, caller, query }, services.ports);
  return sseResponse(subscription, {
    ports: services.ports,
    signal: request.signal,
    isLast: () => events.result !== null,
    format: executionFormat(events),
    headers,
  });
}
