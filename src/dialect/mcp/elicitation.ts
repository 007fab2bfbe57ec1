// Approvals as elicitation: a request of the server that lets the client ask a person. Its id names the thread and the call, so the isolate
// that receives the response does not have to be the one that sent the request.

import type { AwaitedCall } from "#contract/event.ts";
import type { PostedResult } from "#contract/tool-route.ts";

import { sentMessage } from "./rpc-message.ts";
import type { RpcResponse } from "./rpc-message.ts";

/** Characters of a call's arguments that a person reads. */
const longestArguments = 2000;

/** Whether a person at the client can answer the call by a form. Results of remote tools come from programs. */
export function canElicit({ kind }: AwaitedCall): boolean {
  return kind === "approval";
}

/** The text of the request for an approval. */
export function elicitationRequest(threadId: string, call: AwaitedCall): string {
  const args = call.arguments === undefined ? "" : ` Arguments: ${shortened(JSON.stringify(call.arguments))}`;
  return sentMessage({
    id: `${threadId}/${call.id}`,
    method: "elicitation/create",
    params: {
      message: `The agent asks for approval to call the tool "${call.name}".${args}`,
      requestedSchema: {
        type: "object",
        properties: { approve: { type: "boolean", title: "Approve", description: "Whether the call may run." } },
        required: ["approve"],
      },
    },
  });
}

function shortened(text: string): string {
  return text.length <= longestArguments ? text : `${text.slice(0, longestArguments).toWellFormed()} …`;
}

/** The thread and the decision of a response; null if the response is to no request of the server. */
export function elicitedDecision(response: RpcResponse): { threadId: string; decision: PostedResult } | null {
  const [, threadId, callId] = /^([\da-f-]{36})\/([^]+)$/.exec(response.id) ?? [];
  if (threadId === undefined || callId === undefined) return null;
  return { threadId, decision: { tool_call_id: callId, ...decisionOf(response) } };
}

/** Everything but an explicit approval declines the call. A call that stays open would keep the client's request open as well. */
function decisionOf(response: RpcResponse): Pick<PostedResult, "approved" | "error"> {
  if ("error" in response) return { approved: false, error: "The client could not ask a person." };
  const { action, content } = response.result;
  const isApproved = typeof content === "object" && content !== null && !Array.isArray(content) && content["approve"];
  if (action === "accept" && isApproved === true) return { approved: true };
  return { approved: false, error: "A person declined the call." };
}
