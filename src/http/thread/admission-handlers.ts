// The routes that start or resume a run: a message, a run without a message, and results of remote calls. First the leases of the run and
// of its stream are taken, which count the user's running threads and open streams. Then the input is stored. Then the caller gets the
// response that it asked for: at once, as the events of this run, or when the run has ended or waits for a client.

import { isFinished } from "#contract/finished.ts";
import type { Run } from "#contract/run.ts";
import type { Admission, Caller, ThreadStub } from "#core/rpc/thread-rpc.ts";

import { emptyAnswer, jsonAnswer } from "../answer/json-answer.ts";
import { hasOpenCalls } from "../bridge/deliveries.ts";
import type { Frame } from "../bridge/deliveries.ts";
import { followRun } from "../bridge/follow-run.ts";
import type { RunToFollow } from "../bridge/follow-run.ts";
import { lateJson } from "../bridge/late-json.ts";
import { sseResponse } from "../bridge/sse-response.ts";
import { Subscription } from "../bridge/thread-subscription.ts";
import type { SubscriptionTarget } from "../bridge/thread-subscription.ts";
import { checkAnswerable, checkContent, checkMetadata } from "../input/message-size.ts";
import { readRequestKey } from "../input/request-key.ts";
import { withLease } from "../limit/user-leases.ts";
import type { TakenLease } from "../limit/user-leases.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";

export function admissionHandlers(services: Services): Pick<Handlers, "postMessage" | "postRun"> {
  const { callThread, limits } = services;
  return {
    async postMessage({ request, params, caller, body, query }) {
      checkContent(body.content, "content", body.attachments);
      checkAnswerable(body);
      checkMetadata(body.metadata);
      const key = await readRequestKey(request, "postMessage", body);
      await limits.admit(caller);
      const threadId = params.id;
      const admitting = { request, threadId, caller, wait: query.wait, run: body.run };
      return admit(services, admitting, async (admitted) => {
        const run = (stub: ThreadStub) => stub.call("postMessage", admitted, body, key);
        const admission = await callThread({ threadId, repeatable: key !== null, run });
        const { message } = admission;
        return { admission, bodyOf: (record) => ({ message, run: record }) };
      });
    },
    async postRun({ request, params, caller, body, query }) {
      if (body.content !== undefined) {
        checkContent(body.content, "content", body.attachments);
        checkAnswerable({ ...body, content: body.content, role: "user", run: true });
        checkMetadata(body.metadata);
      }
      const key = await readRequestKey(request, "postRun", body);
      await limits.admit(caller);
      const threadId = params.id;
      return admit(services, { request, threadId, caller, wait: query.wait, run: true }, async (admitted) => {
        const run = (stub: ThreadStub) => stub.call("postRun", admitted, body, key);
        const admission = await callThread({ threadId, repeatable: key !== null, run });
        const { files_kept } = admission;
        return {
          admission,
          bodyOf: (record) => ({ run: record, ...(files_kept === undefined ? {} : { files_kept }) }),
        };
      });
    },
  };
}

/** An input that is about to be admitted. */
interface Admitting {
  request: Request;
  threadId: string;
  caller: Caller;
  wait: boolean;
  /** Whether the input may start a run. */
  run: boolean;
}

/** The result of an admission. */
interface Outcome {
  admission: Admission;
  bodyOf: (run: Run | null) => object;
}

interface Admitted extends Admitting, Outcome {}

/** Admits an input after the leases of its run and stream were taken, so that a refused request leaves no stored input. */
async function admit(
  services: Services,
  admitting: Admitting,
  work: (caller: Caller) => Promise<Outcome>,
): Promise<Response> {
  const { request, threadId, caller, wait, run } = admitting;
  const follows = run && (wait || asksForEvents(request));
  const lease = await services.leases.take(caller, {
    holder: { thread: threadId },
    stream: follows ? "bridged" : null,
    run,
  });
  return withLease(lease, async () => {
    const admitted = { ...admitting, caller: lease.caller, ...(await work(lease.caller)) };
    return answerAdmission(services, admitted, lease);
  });
}

async function answerAdmission(services: Services, admitted: Admitted, lease: TakenLease): Promise<Response> {
  const { admission, wait, request, bodyOf } = admitted;
  const { run } = admission;
  if (run === null) {
    await lease.giveBack();
    return jsonAnswer(bodyOf(null), wait ? 200 : 202);
  }
  if (asksForEvents(request)) return runEvents(services, admitted, run);
  if (!wait) return jsonAnswer(bodyOf(run), 202);
  if (isFinished(run.status) || run.status === "awaiting_tool_execution") {
    await lease.giveBack();
    return jsonAnswer(bodyOf(await readRun(services, admitted, run)));
  }
  const leaving = new AbortController();
  const onDisconnect = (): void => leaving.abort();
  request.signal.addEventListener("abort", onDisconnect);
  if (request.signal.aborted) onDisconnect();
  let ping = (): void => {};
  const onPing: RunToFollow["onPing"] = (given) => (ping = given);
  const atRest = runEndedOrSuspended(services, admitted, { run, lease, signal: leaving.signal, onPing }).then(bodyOf);
  const response = lateJson(atRest, { timers: services.ports.timers, onDisconnect, onRead: () => ping() });
  return response.catch((thrown: unknown) => {
    // A client that has disconnected reads no response, and its disconnection is no error of the server.
    if (thrown === leaving.signal.reason) return emptyAnswer();
    throw thrown;
  });
}

function asksForEvents(request: Request): boolean {
  return /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(request.headers.get("accept") ?? "");
}

function targetOf(services: Services, { threadId, caller, admission }: Admitted, run: Run): SubscriptionTarget {
  // Events of silent messages are omitted, unless the posted message itself is silent: then the caller needs them.
  const silent = admission.message?.silent ?? false;
  const query = { run_id: run.id, after: String(admission.after), include_silent: String(silent) };
  return { threads: services.dependencies.threads, threadId, caller, query };
}

/** Streams the events of the run and of its first message until the run has ended or waits for a client. */
async function runEvents(services: Services, admitted: Admitted, run: Run): Promise<Response> {
  const { ports } = services;
  let started = run.status !== "queued";
  const isLast = (frame: Frame): boolean => {
    const own = frame.runId === run.id;
    started ||= own && frame.event === "run_start";
    return own && (frame.event === "run_end" || (frame.event === "awaiting_tool_execution" && hasOpenCalls(frame)));
  };
  const subscription = await Subscription.open(targetOf(services, admitted, run), ports);
  const comment = (): string => (started ? "heartbeat" : "queued");
  const { signal } = admitted.request;
  return sseResponse(subscription, { ports, signal, comment, isLast });
}

function runEndedOrSuspended(
  services: Services,
  admitted: Admitted,
  { run, ...more }: { run: Run } & Pick<RunToFollow, "lease" | "signal" | "onPing">,
): Promise<Run> {
  const { query, ...rest } = targetOf(services, admitted, run);
  const target = { ...rest, query: { ...query, types: "run_end,awaiting_tool_execution" } };
  const read = (): Promise<Run> => readRun(services, admitted, run);
  const takeLease = (): Promise<TakenLease> => {
    const { caller, threadId } = admitted;
    return services.leases.take(caller, { holder: { thread: threadId }, stream: "bridged", run: false });
  };
  return followRun({ target, read, takeLease, ...more }, services.ports);
}

function readRun(services: Services, { threadId, caller }: Admitted, run: Run): Promise<Run> {
  return services.callThread({ threadId, repeatable: true, run: (stub) => stub.call("getRun", caller, run.id) });
}

/** The handler of results of remote calls, with which a suspended run resumes. */
export function toolResultHandlers({ callThread, leases }: Services): Pick<Handlers, "postToolResults"> {
  return {
    async postToolResults({ params, caller, body }) {
      const { id: threadId } = params;
      const lease = await leases.take(caller, { holder: { thread: threadId }, stream: null, run: true });
      const { run, missing, ignored } = await withLease(lease, () =>
        // Repeatable, because the object accepts a result that equals the stored one.
        callThread({ threadId, repeatable: true, run: (stub) => stub.call("postToolResults", lease.caller, body) }),
      );
      return jsonAnswer({ run, missing, ignored }, 202);
    },
  };
}
