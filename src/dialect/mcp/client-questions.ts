// Approvals, and questions of running calls, as elicitation: requests of the server that let the client ask a person. The id of a request
// names the thread and the call, so the isolate that receives the response does not have to be the one that sent the request.

import { z } from "zod";

import type { ThreadholdError } from "#contract/error.ts";
import type { AwaitedCall } from "#contract/event.ts";
import { jsonObjectSchema } from "#contract/json.ts";
import type { Json } from "#contract/json.ts";
import type { PendingCall } from "#contract/thread.ts";
import type { PostedResult } from "#contract/tool-route.ts";
import { checkValue } from "#http/input/parse-json.ts";
import { isObject } from "#lib/json-value.ts";

import { sentMessage } from "./rpc-message.ts";
import type { RpcResponse } from "./rpc-message.ts";

/** The maximum length of a call's arguments as text. A person would not read more of them in a form. */
const longestArguments = 2000;

/** Characters that a form does not show, or that change the order of the others. */
const hidden = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gu;

/** A call that the client or a person answers. */
export type OpenCall = AwaitedCall | PendingCall;

/** The arguments of a question: the text, and the schema of the answer. */
const questionSchema = z.object({ message: z.string(), schema: jsonObjectSchema });

/**
 * Whether a person at the client can answer the call by a form. Results of remote tools come from programs. A person is asked for an
 * approval only if the form shows all arguments of the call; otherwise the person would approve hidden arguments.
 */
export function canElicit({ kind, arguments: args }: OpenCall): boolean {
  if (kind === "approval") return args !== undefined && argumentsText(args).length <= longestArguments;
  return kind === "question" && questionSchema.safeParse(args).success;
}

/** The text of the request that asks a person about the call. */
export function elicitationRequest(threadId: string, call: OpenCall): string {
  const question = call.kind === "question" ? questionSchema.parse(call.arguments) : null;
  return sentMessage({
    id: `${threadId}/${call.kind}/${call.id}`,
    method: "elicitation/create",
    params:
      question === null
        ? approvalParams(call)
        : {
            message: `A tool of the agent asks ("${call.name}"): ${question.message}`,
            requestedSchema: question.schema,
          },
  });
}

function approvalParams({ name, arguments: given }: OpenCall) {
  return {
    message: `The agent asks for approval to call the tool "${name}". Arguments: ${argumentsText(given)}`,
    requestedSchema: {
      type: "object",
      properties: { approve: { type: "boolean", title: "Approve", description: "Whether the call may run." } },
      required: ["approve"],
    },
  };
}

/** The arguments as JSON text, in which hidden characters are escapes. */
function argumentsText(args: OpenCall["arguments"]): string {
  return JSON.stringify(args ?? null).replace(hidden, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** The thread and the call of a response; null if the response is to no request of the server. */
export function elicitedCall(response: RpcResponse): ElicitedCall | null {
  const [, threadId, kind, callId] = /^([\da-f-]{36})\/(approval|question)\/([^]+)$/.exec(response.id) ?? [];
  if (threadId === undefined || callId === undefined) return null;
  return { threadId, callId, kind: kind === "approval" ? kind : "question" };
}

/** Returns the answer of a response to the call. Throws `invalid_request` if the answer is no JSON of a request. */
export function elicitedAnswer({ callId, kind }: ElicitedCall, response: RpcResponse): PostedResult {
  return { tool_call_id: callId, ...(kind === "approval" ? decisionOf(response) : answerOf(response)) };
}

/** The maximum length of the reason of a refused answer. */
const longestProblem = 2000;

/**
 * Returns the answer that dismisses a question because a person's answer was refused. The client shows the person's answer as sent, and
 * the question would wait until its deadline. Null for a refusal that is not about the content of the answer, and for an approval.
 */
export function dismissal({ callId, kind }: ElicitedCall, { code, message }: ThreadholdError): PostedResult | null {
  if (kind === "approval" || (code !== "invalid_request" && code !== "too_large")) return null;
  return { tool_call_id: callId, error: `The answer was refused: ${message}`.slice(0, longestProblem) };
}

/** The call whose question or approval a client was asked for. */
interface ElicitedCall {
  threadId: string;
  callId: string;
  kind: "approval" | "question";
}

const unasked = "The client could not ask a person.";

/** Everything but an explicit approval declines the call. A call that stays open would keep the client's request open as well. */
function decisionOf(response: RpcResponse): Pick<PostedResult, "approved" | "error"> {
  if ("error" in response) return { approved: false, error: unasked };
  const { action, content } = response.result;
  if (action === "accept" && isObject(content) && content["approve"] === true) return { approved: true };
  return { approved: false, error: "A person declined the call." };
}

/** The answer to a question: the form's fields, or that a person declined or dismissed it. */
function answerOf(response: RpcResponse): Pick<PostedResult, "result" | "approved" | "error"> {
  if ("error" in response) return { error: unasked };
  const { action, content } = response.result;
  if (action === "accept") {
    checkValue(content, "content");
    // The body is parsed JSON, and its numbers and keys are checked.
    return { result: (content ?? {}) as Json };
  }
  return action === "decline" ? { approved: false } : { error: "A person dismissed the question." };
}
