// What a client answers to calls that wait for it: results of remote tools, and decisions about calls that need consent.

import type { Json, JsonObject } from "#contract/json.ts";
import type { PendingCall } from "#contract/thread.ts";
import type { PostedResult, ToolResultsTaken } from "#contract/tool-route.ts";

import type { RequestOptions, Requests } from "./request.ts";
import type { RouteAnswer } from "./route-type.ts";
import { messages } from "./thread-lists.ts";
import { callArguments } from "./tools/call-arguments.ts";
import type { CallArguments } from "./tools/call-arguments.ts";

/** What a tool that was run on request gives. */
export type ToolResult = RouteAnswer<"POST /api/threads/:id/tools/:name">;

/** Which run is meant; without one, whichever waits. */
export type AnswerOptions = RequestOptions & { runId?: string | undefined };

/** A yes, perhaps to other arguments, where the call's tool lets them be changed. */
export type ApproveOptions = AnswerOptions & { args?: JsonObject | undefined };

/** Answers of a client. The same answer may be sent twice; another one for an answered call is a `conflict`. */
export interface ToolResults {
  /** The result of a remote call: text, or JSON that the model reads as text. */
  answer(callId: string, result: Json, options?: AnswerOptions): Promise<ToolResultsTaken>;
  /** Why a remote call failed; the model reads it. */
  fail(callId: string, error: string, options?: AnswerOptions): Promise<ToolResultsTaken>;
  approve(callId: string, options?: ApproveOptions): Promise<ToolResultsTaken>;
  /** A no, and why; the model reads it. */
  decline(callId: string, reason?: string, options?: AnswerOptions): Promise<ToolResultsTaken>;
  /** Several at once: all are taken, or none. */
  post(results: PostedResult[], options?: AnswerOptions): Promise<ToolResultsTaken>;
  /**
   * What a call that waits was asked with, also where it did not come with it: a child thread's is in that thread. Throws
   * `message_not_found` where its message is gone.
   */
  argumentsOf(call: PendingCall, options?: RequestOptions): Promise<CallArguments>;
  /** Runs a server's tool now, without a model. Writes a log and no message; never sent twice. */
  invoke(name: string, args?: JsonObject, options?: RequestOptions): Promise<ToolResult>;
}

/** The routes. */
export function toolResults(requests: Requests, id: string): ToolResults {
  const post = (results: PostedResult[], { runId, signal }: AnswerOptions = {}): Promise<ToolResultsTaken> =>
    requests.json("POST /api/threads/:id/tool-results", {
      params: { id },
      body: { results, run_id: runId },
      // An answer that is there already is taken for what it is.
      repeatable: true,
      signal,
    });
  return {
    post,
    answer: (callId, result, options) => post([{ tool_call_id: callId, result }], options),
    fail: (callId, error, options) => post([{ tool_call_id: callId, error }], options),
    approve: (callId, { args, ...options } = {}) =>
      post([{ tool_call_id: callId, approved: true, ...(args === undefined ? {} : { args }) }], options),
    decline: (callId, reason, options) =>
      post([{ tool_call_id: callId, approved: false, ...(reason === undefined ? {} : { error: reason }) }], options),
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
