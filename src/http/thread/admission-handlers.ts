// The two routes that start a run. Admitted first, durably; then the answer the caller asked for: at once, as the events of
// this run, or when the run rests.

import { isFinished } from "#contract/finished.ts";
import type { Run } from "#contract/run.ts";
import type { Admission, Caller } from "#core/thread-rpc.ts";

import { jsonAnswer } from "../answer/json-answer.ts";
import type { SubscriptionTarget } from "../bridge/attach.ts";
import type { Frame } from "../bridge/delivery.ts";
import { followRun } from "../bridge/follow-run.ts";
import { sseResponse } from "../bridge/sse-response.ts";
import { Subscription } from "../bridge/subscription.ts";
import { checkAnswerable, checkContent, checkMetadata } from "../input/message-size.ts";
import { readRequestKey } from "../input/request-key.ts";
import type { StatusOf } from "../limit/active-runs.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";

/** The handlers. */
export function admissionHandlers(services: Services): Pick<Handlers, "postMessage" | "postRun"> {
  const { calls, limits, activeRuns } = services;
  return {
    async postMessage({ request, params, caller, body, query }) {
      checkContent(body.content, "content", body.attachments);
      checkAnswerable(body);
      checkMetadata(body.metadata);
      const key = await readRequestKey(request, "postMessage", body);
      await limits.admit(caller);
      const threadId = params.id;
      await activeRuns.check(caller, threadId, statusIn(services, caller));
      const repeatable = key !== null;
      const admission = await calls({ threadId, repeatable, run: (stub) => stub.postMessage(caller, body, key) });
      const { message } = admission;
      const admitted = { request, threadId, caller, admission, wait: query.wait };
      return answerAdmission(services, admitted, (run) => ({ message, run }));
    },
    async postRun({ request, params, caller, body, query }) {
      const key = await readRequestKey(request, "postRun", body);
      await limits.admit(caller);
      const threadId = params.id;
      await activeRuns.check(caller, threadId, statusIn(services, caller));
      const repeatable = key !== null;
      const admission = await calls({ threadId, repeatable, run: (stub) => stub.postRun(caller, body, key) });
      return answerAdmission(services, { request, threadId, caller, admission, wait: query.wait }, (run) => ({ run }));
    },
  };
}

/** How a run of the caller's stands. A thread that is gone, or out of reach, does not count. */
export function statusIn({ calls }: Services, caller: Caller): StatusOf {
  return (threadId, runId) =>
    calls({ threadId, repeatable: true, run: (stub) => stub.getRun(caller, runId) }).then(
      ({ status }) => status,
      () => null,
    );
}

interface Admitted {
  request: Request;
  threadId: string;
  caller: Caller;
  admission: Admission;
  wait: boolean;
}

async function answerAdmission(
  services: Services,
  admitted: Admitted,
  bodyOf: (run: Run | null) => object,
): Promise<Response> {
  const { run } = admitted.admission;
  if (run !== null) services.activeRuns.began(admitted.caller, admitted.threadId, run.id);
  if (run === null) return jsonAnswer(bodyOf(null), admitted.wait ? 200 : 202);
  if (asksForEvents(admitted.request)) return runEvents(services, admitted, run);
  if (!admitted.wait) return jsonAnswer(bodyOf(run), 202);
  return jsonAnswer(bodyOf(await runAtRest(services, admitted, run)));
}

function asksForEvents(request: Request): boolean {
  return /(^|,)\s*text\/event-stream\s*(;|,|$)/i.test(request.headers.get("accept") ?? "");
}

function targetOf(services: Services, { threadId, caller, admission }: Admitted, run: Run): SubscriptionTarget {
  // What is hidden stays hidden here too, unless the posted message itself is: its own events are asked for.
  const silent = admission.message?.silent ?? false;
  const query = { run_id: run.id, after: String(admission.after), include_silent: String(silent) };
  return { threads: services.dependencies.threads, threadId, caller, query };
}

/** The events of the run, and the message it began with, until it rests. */
async function runEvents(services: Services, admitted: Admitted, run: Run): Promise<Response> {
  const { ports, limits } = services;
  const onClose = limits.openStream(admitted.caller);
  let started = run.status !== "queued";
  const isLast = (frame: Frame): boolean => {
    const own = frame.runId === run.id;
    started ||= own && frame.event === "run_start";
    return own && (frame.event === "run_end" || frame.event === "awaiting_tool_execution");
  };
  try {
    const subscription = await Subscription.open(targetOf(services, admitted, run), ports);
    const comment = (): string => (started ? "heartbeat" : "queued");
    const { timers } = ports;
    const { signal } = admitted.request;
    return sseResponse(subscription, { timers, signal, comment, isLast, tellEnd: false, onClose });
  } catch (thrown) {
    onClose();
    throw thrown;
  }
}

async function runAtRest(services: Services, admitted: Admitted, run: Run): Promise<Run> {
  if (isFinished(run.status) || run.status === "awaiting_tool_execution") return readRun(services, admitted, run);
  const close = services.limits.openStream(admitted.caller);
  try {
    const { query, ...rest } = targetOf(services, admitted, run);
    const target = { ...rest, query: { ...query, types: "run_end,awaiting_tool_execution" } };
    const read = (): Promise<Run> => readRun(services, admitted, run);
    return await followRun({ target, read, signal: admitted.request.signal }, services.ports);
  } finally {
    close();
  }
}

function readRun(services: Services, { threadId, caller }: Admitted, run: Run): Promise<Run> {
  return services.calls({ threadId, repeatable: true, run: (stub) => stub.getRun(caller, run.id) });
}
