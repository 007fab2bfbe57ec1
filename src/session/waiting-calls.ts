// The remote calls of a run: which are open, and how their results are stored.

import type { ToolResult } from "#contract/call-result.ts";
import { refuse } from "#contract/error.ts";
import type { ToolResultInput } from "#contract/session/execute-request.ts";
import { postedResult } from "#contract/session/initial-transcript.ts";
import type { SessionToolCall } from "#contract/session/session-message.ts";
import { toPendingCall } from "#contract/session/session-transcript.ts";
import type { AwaitedClientResult } from "#core/record/awaited.ts";
import type { MessageRecord } from "#core/record/record.ts";
import { callsOf } from "#core/record/run-state.ts";
import { readToolAnswer, unboundedResults } from "#core/tools/read-result.ts";
import type { HostJournal } from "#host/host-ports.ts";

type WaitingCall = MessageRecord & { awaits: AwaitedClientResult };

function waitingRows(messages: readonly MessageRecord[]): WaitingCall[] {
  return messages.flatMap((row) =>
    row.status === "started" && row.awaits?.kind === "remote" && row.awaits.delivered === null
      ? [{ ...row, awaits: row.awaits }]
      : [],
  );
}

/** The open calls among a run's messages, in the order of the calls. */
export function waitingCalls(messages: readonly MessageRecord[]): SessionToolCall[] {
  const calls = messages.flatMap(callsOf);
  return waitingRows(messages).flatMap(({ tool_call_id }) => {
    const call = calls.findLast(({ id }) => id === tool_call_id);
    return call === undefined ? [] : [toPendingCall(call)];
  });
}

/** Stores results in the messages of their calls. Some calls may stay open. Throws if a result has no open call, and stores none. */
export function storeResults(journal: HostJournal, results: readonly ToolResultInput[]): void {
  const waiting = new Map(waitingRows(journal.messages).map((row) => [row.tool_call_id, row]));
  const answered = results.map((result) => {
    const { toolCallId: id, toolName } = result;
    const row = waiting.get(id);
    if (row === undefined) throw noWaitingCall(id, journal, results);
    if (toolName !== undefined && row.name !== toolName) {
      throw refuse("invalid_request", `The call "${id}" is one of "${row.name}", not of "${toolName}".`);
    }
    waiting.delete(id);
    return { ...row, awaits: { ...row.awaits, delivered: { answer: readResult(result) } } };
  });
  for (const row of answered) journal.update(row);
}

/** Reads a result as `POST …/tool-results` does. */
function readResult(result: ToolResultInput): ToolResult {
  const { content = "", error, details } = postedResult(result);
  const given = error === undefined ? { status: "success", result: content } : { status: "error", error };
  const {
    attachments: _,
    stack: __,
    ...answer
  } = readToolAnswer(details === undefined ? given : { ...given, details }, unboundedResults);
  return answer;
}

function noWaitingCall(id: string, { messages }: HostJournal, results: readonly ToolResultInput[]) {
  if (results.filter(({ toolCallId }) => toolCallId === id).length > 1) {
    return refuse("invalid_request", `Two results answer the call "${id}".`);
  }
  const settled = messages.some(({ tool_call_id }) => tool_call_id === id);
  if (settled) return refuse("conflict", `The call "${id}" has its result already.`);
  const ids = waitingRows(messages).map(({ tool_call_id }) => tool_call_id);
  return refuse("tool_call_not_found", `No call "${id}" waits for a result. Open: ${ids.join(", ")}.`);
}
