// The response to a call of a tool: a stream with the run's progress, requests for approvals, and the result at the end. A client that
// disconnects does not stop the run. It continues the stream by the id of its last event.

import { ThreadholdError } from "#contract/error.ts";
import type { PlainEvent, ThreadEvent } from "#contract/event.ts";
import { isFinished } from "#contract/finished.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";
import type { Frame } from "#http/bridge/deliveries.ts";
import { sseResponse } from "#http/bridge/sse-response.ts";
import { Subscription } from "#http/bridge/thread-subscription.ts";
import type { Services } from "#http/services.ts";
import { causeOf } from "#lib/log-port.ts";
import { parseOwnJson } from "#lib/untrusted/own-json.ts";

import { canElicit, elicitationRequest } from "./client-questions.ts";
import type { OpenCall } from "./client-questions.ts";
import type { ClientSession } from "./client-session.ts";
import { eventId } from "./event-id.ts";
import type { StreamPosition } from "./event-id.ts";
import { mcpPath } from "./routes.ts";
import { resultMessage, sentMessage } from "./rpc-message.ts";
import { errorResult, refusedResult, runResult } from "./run-result.ts";
import type { CallResult } from "./run-result.ts";

/** The events that a stream reads. Deltas are not among them. */
const types = "step_start,tool_execution_start,tool_execution_end,awaiting_tool_execution,questions_changed,run_end";

/** A run to follow. */
export interface FollowedCall {
  request: Request;
  caller: Caller;
  session: ClientSession;
  /** The position after which the stream begins. */
  from: StreamPosition;
}

/** Streams the run's progress until the run ends, or waits for an answer that the client cannot get from a person. */
export async function streamCall(services: Services, call: FollowedCall): Promise<Response> {
  const { request, caller, from } = call;
  const { dependencies, ports } = services;
  const { threadId, seq } = from;
  const query = { after: String(seq), depth: "0", include_silent: "false", types };
  const subscription = await Subscription.open({ threads: dependencies.threads, threadId, caller, query }, ports);
  const stream = new CallStream(services, call);
  return sseResponse(subscription, {
    ports,
    signal: request.signal,
    isLast: () => stream.isOver,
    format: {
      opening: stream.begin(),
      frame: (frame) => stream.take(frame),
      refusal: (refusal) => stream.end(refusedResult({ refusal })),
    },
  });
}

export function readRun({ callThread }: Services, caller: Caller, at: Pick<StreamPosition, "threadId" | "runId">) {
  const { threadId, runId } = at;
  return callThread({ threadId, repeatable: true, run: (stub) => stub.call("getRun", caller, runId) });
}

/** The text of one stream. */
class CallStream {
  readonly #services: Services;
  readonly #call: FollowedCall;
  /** The calls that a person is asked about. */
  readonly #asked = new Set<string>();
  #isOver = false;

  constructor(services: Services, call: FollowedCall) {
    this.#services = services;
    this.#call = call;
  }

  /** Whether the result was written. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** An event without data. Its id lets the client continue a stream that breaks off before the first message. */
  begin(): string {
    const { session, from } = this.#call;
    return session.primes ? `id: ${eventId(from)}\ndata: \n\n` : "";
  }

  /** The text for an event of the thread. */
  take({ json }: Frame): string | Promise<string> {
    const event = parseOwnJson(json) as ThreadEvent;
    if (event.type !== "snapshot") {
      if (event.run_id !== this.#call.from.runId) return "";
      if (event.type === "awaiting_tool_execution" || event.type === "questions_changed") {
        return event.tool_calls.length === 0 ? "" : this.#orFailure(this.#wait(event.tool_calls, event.seq));
      }
      if (event.type !== "run_end") return this.#progress(event);
    }
    return this.#orFailure(this.#settle(event.seq));
  }

  /** Ends the stream. Returns the text of the result. */
  end(result: CallResult): string {
    this.#isOver = true;
    return `data: ${resultMessage(this.#call.from.requestId, result)}\n\n`;
  }

  /** Returns the text. If the thread cannot be read, ends the stream with an error as the result. */
  async #orFailure(text: Promise<string>): Promise<string> {
    try {
      return await text;
    } catch (thrown) {
      if (thrown instanceof ThreadholdError) return this.end(refusedResult(thrown));
      this.#services.log("error", "internal_error", { path: mcpPath, cause: causeOf(thrown) });
      return this.end(errorResult("internal: The result could not be read. Try again."));
    }
  }

  #progress(event: PlainEvent): string {
    const { progressToken } = this.#call.from;
    const message = describeProgress(event);
    if (progressToken === null || message === null) return "";
    // The progress of a request has to increase, also across streams that continue each other. The number of the event does so.
    const params = { progressToken, progress: event.seq, message, _meta: { "threadhold/thread_id": event.thread_id } };
    return this.#write(event.seq, sentMessage({ method: "notifications/progress", params }));
  }

  /**
   * Asks a person about the calls of an event, or returns the calls as the result. Calls that were answered since are omitted, because
   * events are replayed.
   */
  async #wait(calls: readonly OpenCall[], seq: number): Promise<string> {
    const { from, caller } = this.#call;
    const pending = new Set((await readPending(this.#services, caller, from.threadId)).map(({ id }) => id));
    return this.#ask(
      calls.filter(({ id }) => pending.has(id)),
      seq,
    );
  }

  /** Asks a person about open calls if the client can; otherwise the calls are the result. */
  async #ask(open: readonly OpenCall[], seq: number): Promise<string> {
    const { session, from } = this.#call;
    if (open.length === 0) return "";
    if (!session.elicits || !open.every(canElicit)) return this.#result(open);
    const fresh = open.filter(({ id }) => !this.#asked.has(id));
    for (const { id } of fresh) this.#asked.add(id);
    return fresh.map((call) => this.#write(seq, elicitationRequest(from.threadId, call))).join("");
  }

  /**
   * Ends the stream if the stored run has ended. Otherwise asks about the calls that the thread waits for; returns an empty text if there
   * are none.
   */
  async #settle(seq: number): Promise<string> {
    const { caller, from } = this.#call;
    const run = await readRun(this.#services, caller, from);
    if (isFinished(run.status)) return this.end(runResult(from.threadId, run));
    return this.#ask(await readPending(this.#services, caller, from.threadId), seq);
  }

  async #result(open: readonly OpenCall[]): Promise<string> {
    const { caller, from } = this.#call;
    return this.end(runResult(from.threadId, await readRun(this.#services, caller, from), open));
  }

  #write(seq: number, message: string): string {
    return `id: ${eventId({ ...this.#call.from, seq })}\ndata: ${message}\n\n`;
  }
}

/** The calls that a thread waits for. */
async function readPending({ callThread }: Services, caller: Caller, threadId: string) {
  const thread = await callThread({ threadId, repeatable: true, run: (stub) => stub.call("describe", caller) });
  return thread.pending_tool_calls;
}

function describeProgress(event: PlainEvent): string | null {
  switch (event.type) {
    case "step_start":
      return `Step ${String(event.step ?? 1)}: requesting the model ${event.model}`;
    case "tool_execution_start":
      return `Running the tool ${event.tool_name}`;
    case "tool_execution_end":
      return `The tool ${event.tool_name} ${event.is_error ? "failed" : "has finished"}`;
    default:
      return null;
  }
}
