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

/** The results of a message's calls, and the names of its calls without one, by id. */
interface Outcome {
  results: ModelMessage[];
  open: Map<string, string>;
}

/**
 * The messages with a result for each call, and without results that answer no call. A result that follows other messages is moved to its
 * call, as `core/request/repair.ts` moves it. An id may occur again: a result belongs to the last call with its id.
 */
export function settledMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const settled: { message: ModelMessage; outcome: Outcome }[] = [];
  /** The calls without a result, by id. */
  const waiting = new Map<string, Outcome>();
  for (const message of messages) {
    const { role, tool_call_id: id } = message;
    if (role === "tool") {
      const outcome = id === null ? undefined : waiting.get(id);
      if (id === null || outcome === undefined) continue;
      outcome.results.push(message);
      outcome.open.delete(id);
      waiting.delete(id);
      continue;
    }
    const outcome: Outcome = { results: [], open: new Map() };
    settled.push({ message, outcome });
    if (role !== "assistant") continue;
    for (const part of message.parts) {
      if (part.type !== "tool_call") continue;
      outcome.open.set(part.id, part.name);
      waiting.set(part.id, outcome);
    }
  }
  return settled.flatMap(({ message, outcome: { results, open } }) => [
    message,
    ...results,
    ...[...open].map(([id, name]) => lostResult(id, name)),
  ]);
}
