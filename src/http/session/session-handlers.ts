// The two routes of sessions. An execution is admitted durably and then followed from before its admission; whoever leaves
// leaves it running.

import { refuse, ThreadholdError } from "#contract/error.ts";
import { executeInput } from "#contract/session/execute-input.ts";
import type { ExecuteInput } from "#contract/session/execute-input.ts";
import { sessionIdSchema } from "#contract/session/execute-request.ts";
import { AgentEvents } from "#contract/session/execution-events.ts";
import { inputContent } from "#contract/session/initial-transcript.ts";
import type { Caller, Execution, SessionPlace } from "#core/thread-rpc.ts";

import { jsonHeaders } from "../answer/json-answer.ts";
import { sseHeaders, sseResponse } from "../bridge/sse-response.ts";
import { Subscription } from "../bridge/subscription.ts";
import { invalidField } from "../input/field-error.ts";
import { checkAnswerable, checkContent } from "../input/message-size.ts";
import { readRequestKey } from "../input/request-key.ts";
import { inPlace } from "../limit/places.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import { executionFormat, restingExecution } from "./execution-lines.ts";
import { projectFacts } from "./project-facts.ts";
import type { ProjectFacts } from "./project-facts.ts";
import { sessionBody } from "./session-body.ts";
import { createFindPlace } from "./session-place.ts";

/** The handlers. */
export function sessionHandlers(services: Services): Pick<Handlers, "executeSession" | "getSession"> {
  const { calls, limits, places, dependencies } = services;
  const facts = projectFacts(dependencies.registry);
  const findPlace = createFindPlace(calls);
  return {
    async executeSession({ request, caller, body }) {
      const { session_id, ...given } = executeInput(body);
      checkInput(given);
      const { place, mayBegin } = await findPlace(caller, session_id);
      const asked = { ...given, context: mayBegin ? given.context : null };
      const { thread_id: threadId } = place;
      const key = await readRequestKey(request, "executeSession", body);
      await limits.admit(caller);
      if (asked.context !== null) await limits.create(caller);
      const known = await facts();
      const taken = await places.take(caller, { holder: { thread: threadId }, stream: "bridged", run: true });
      return inPlace(taken, async () => {
        const execution = await asNew(given.context === null, () =>
          calls({
            threadId,
            // Results that were taken are no longer waited for, so a second try would be refused.
            repeatable: key !== null && !Array.isArray(asked.input),
            run: (stub) => stub.call("executeSession", taken.caller, { ...place, ...asked, key }),
          }),
        );
        if (execution.rests !== null) await taken.giveBack();
        return streamOf(services, { request, caller: taken.caller, place, execution, known });
      });
    },
    async getSession({ params, caller }) {
      const { session_id } = params;
      if (!sessionIdSchema.safeParse(session_id).success) throw noSession();
      const { place } = await findPlace(caller, session_id);
      const page = (cursor: string | null) =>
        calls({
          threadId: place.thread_id,
          repeatable: true,
          run: (stub) => stub.call("readSession", caller, place, cursor),
        });
      const first = await page(null);
      const { providers } = await facts();
      const body = sessionBody({ id: session_id, first, more: page, providers });
      return new Response(body, { headers: jsonHeaders });
    },
  };
}

function noSession(): ThreadholdError {
  return refuse("thread_not_found", "There is no such session.");
}

/** A request without a context goes on with a session; one that is not there, or not the caller's, would be a new one. */
async function asNew<T>(goesOn: boolean, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!goesOn || !(thrown instanceof ThreadholdError) || thrown.code !== "thread_not_found") throw thrown;
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

interface Executing {
  request: Request;
  caller: Caller;
  place: SessionPlace;
  execution: Execution;
  known: ProjectFacts;
}

async function streamOf(services: Services, executing: Executing): Promise<Response> {
  const { request, caller, place, execution, known } = executing;
  const { run, after, rests, client_tools } = execution;
  const { session_id: sessionId, thread_id: threadId } = place;
  const brought = new Set(client_tools);
  const events = new AgentEvents({
    sessionId,
    runId: run.id,
    providers: known.providers,
    isRemote: (name) => known.remoteTools.has(name) || brought.has(name),
  });
  const headers = { "x-session-id": sessionId };
  if (rests !== null) {
    return new Response(restingExecution(events, rests), { headers: { ...sseHeaders, ...headers } });
  }
  // Nested lines are told of by their calls' results alone.
  const query = { run_id: run.id, after: String(after), depth: "0", include_silent: "false" };
  const { threads } = services.dependencies;
  const subscription = await Subscription.open({ threads, threadId, caller, query }, services.ports);
  return sseResponse(subscription, {
    timers: services.ports.timers,
    signal: request.signal,
    comment: () => "heartbeat",
    isLast: () => false,
    tellEnd: false,
    format: executionFormat(events),
    headers,
  });
}
