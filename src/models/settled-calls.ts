// Pairs the calls and results of a transcript. Invariant: each call has its result directly after its message, and no result lacks its call,
// because providers refuse both. Threads repair their transcripts before; programs pass transcripts that nothing repaired.

import type { ModelMessage } from "#core/ports/model-port.ts";
import { errorResult, threadErrorTexts } from "#core/tools/error-results.ts";

/** The result that is sent for a call without one. */
function lostResult(callId: string, name: string): ModelMessage {
  const text = threadErrorTexts.lostResult(name);
  const parts = [{ type: "text" as const, text }];
  return { id: null, role: "tool", parts, name, tool_call_id: callId, result: errorResult(text) };
}

/** The messages with a result for each call, and without results that answer no call. */
export function settledMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const settled: ModelMessage[] = [];
  /** The names of the calls without a result, by id. */
  const open = new Map<string, string>();
  const close = (): void => {
    for (const [id, name] of open) settled.push(lostResult(id, name));
    open.clear();
  };
  for (const message of messages) {
    if (message.role === "tool") {
      if (message.tool_call_id !== null && open.delete(message.tool_call_id)) settled.push(message);
      continue;
    }
    close();
    settled.push(message);
    if (message.role !== "assistant") continue;
    for (const part of message.parts) if (part.type === "tool_call") open.set(part.id, part.name);
  }
  close();
  return settled;
}
