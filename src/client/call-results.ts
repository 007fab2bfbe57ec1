// Posts a client's answers to pending tool calls: results of remote tools, and approvals. Also runs a tool without a model.

import type { Json, JsonObject } from "#contract/json.ts";
import type { PendingCall } from "#contract/thread.ts";
import type { PostedResult, ToolResultsTaken } from "#contract/tool-route.ts";

import type { RouteAnswer } from "./route-type.ts";
import type { RequestOptions, Requests } from "./send-request.ts";
import { messages } from "./thread-lists.ts";
import { callArguments } from "./tools/call-arguments.ts";
import type { CallArguments } from "./tools/call-arguments.ts";

/** The result of a tool that was run without a model. */
export type ToolResult = RouteAnswer<"POST /api/threads/:id/tools/:name">;

/** Options of an answer. `runId`: the run of the call; the answer is refused if the call belongs to another run. */
export type AnswerOptions = RequestOptions & { runId?: string | undefined };

/** Options of an approval. `args` replaces the call's arguments, if the tool permits it. */
export type ApproveOptions = AnswerOptions & { args?: JsonObject | undefined };

/** Answers pending calls. The same answer may be sent twice. A different answer for an answered call is refused with `conflict`. */
export interface ToolResults {
  /** Posts the result of a remote call: text, or JSON that the model reads as text. For a question: an object that fits its schema. */
  answer(callId: string, result: Json, options?: AnswerOptions): Promise<ToolResultsTaken>;
  /** For a remote call: posts its failure, and the model reads `error`. For a question: dismisses the question. */
  fail(callId: string, error: string, options?: AnswerOptions): Promise<ToolResultsTaken>;
  approve(callId: string, options?: ApproveOptions): Promise<ToolResultsTaken>;
  /** Declines a call that needs approval, or a question. The model reads `reason` only for a declined call. */
  decline(callId: string, reason?: string, options?: AnswerOptions): Promise<ToolResultsTaken>;
  /** Posts several answers at once: all are accepted or none. */
  post(results: PostedResult[], options?: AnswerOptions): Promise<ToolResultsTaken>;
  /**
   * Returns the arguments of a pending call. If the call does not contain them, they are read from the thread's messages; for a call of a
   * child thread, from the messages of that thread. Throws `message_not_found` if the newest 500 messages do not contain the call.
   */
  argumentsOf(call: PendingCall, options?: RequestOptions): Promise<CallArguments>;
  /** Runs a tool of the server now, without a model. Writes a log entry, no message. The request is retried only after `rate_limited`. */
  invoke(name: string, args?: JsonObject, options?: RequestOptions): Promise<ToolResult>;
}

/** Builds the operations for the thread `id`. */
export function toolResults(requests: Requests, id: string): ToolResults {
  const post = (results: PostedResult[], { runId, signal }: AnswerOptions = {}): Promise<ToolResultsTaken> =>
    requests.json("POST /api/threads/:id/tool-results", {
      params: { id },
      body: { results, run_id: runId },
      // The server accepts a repeated answer that equals the stored one.
      repeatable: true,
      signal,
    });
  return {
    post,
    answer: (callId, result, options) => post([{ tool_call_id: callId, result }], options),
    fail: (callId, error, options) => post([{ tool_call_id: callId, error }], options),
    approve: (callId, { args, ...options } = {}) => post([{ tool_call_id: callId, approved: true, args }], options),
    decline: (callId, reason, options) => post([{ tool_call_id: callId, approved: false, error: reason }], options),
    argumentsOf: (call, options) =>
      callArguments(call, {
        known: [],
        newest: () => messages(requests, call.thread_id ?? id).list({ order: "desc", include_silent: true }, options),
      }),
    invoke: (name, args = {}, options) =>
      requests.json("POST /api/threads/:id/tools/:name", {
        ...options,
        params: { id, name },
        body: { args },
        repeatable: false,
        timeoutMs: null,
      }),
  };
}
