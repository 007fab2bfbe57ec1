// Finds the data that a stored event omits: in rows that were read before, otherwise in the store.

import type { ThreadStore } from "#core/ports/thread-store.ts";
import type { MessageRecord, ThreadRecord } from "#core/record/record.ts";
import { callsOf } from "#core/record/run-state.ts";
import type { EventSource } from "#core/record/stored-event.ts";
import { toThread } from "#core/record/view.ts";

/** The number of rows that one query reads. */
const page = 25;

/** Contract: `known` are current rows. */
export function eventSource(store: ThreadStore, thread: ThreadRecord, known: readonly MessageRecord[]): EventSource {
  const { id, branch } = thread;
  const messages = new Map(known.map((message) => [message.id, message]));
  const calls = new Map<string, MessageRecord>();
  const addCalls = (message: MessageRecord) => {
    for (const call of callsOf(message)) calls.set(call.id, message);
  };
  known.forEach(addCalls);
  const source: EventSource = {
    threadId: id,
    thread: () => toThread(thread),
    message: (messageId) => messages.get(messageId) ?? store.message(messageId) ?? undefined,
    callMessage(callId, toolMessageId) {
      // The answer that made the call may be in an earlier part of the replay. It is stored a few rows before the call's own message.
      let beyond = calls.has(callId) ? undefined : source.message(toolMessageId)?.position;
      while (beyond !== undefined && !calls.has(callId)) {
        const batch = store.messages({ branch, order: "desc", includeSilent: true, limit: page, beyond });
        batch.forEach(addCalls);
        beyond = batch.length < page ? undefined : batch.at(-1)?.position;
      }
      return calls.get(callId);
    },
    run: (runId) => store.run(runId) ?? undefined,
  };
  return source;
}
