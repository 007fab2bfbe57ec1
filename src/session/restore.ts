// Converts an earlier conversation to records from which the loop continues. The plan's messages do not contain the signatures of
// providers, so thinking is restored as text only.

import type { ToolCallPart } from "#contract/content.ts";
import { refuse } from "#contract/error.ts";
import type { ContextMessage, ToolResultInput, UserInput } from "#contract/session/execute-request.ts";
import { initialTranscript, inputContent } from "#contract/session/initial-transcript.ts";
import { sessionUsageSchema } from "#contract/session/session-message.ts";
import type { SessionMessage } from "#contract/session/session-message.ts";
import { toSessionMessage } from "#contract/session/session-transcript.ts";
import type { TranscriptMessage } from "#contract/transcript.ts";
import { costSchema } from "#contract/usage-schema.ts";
import type { MessageRecord, StoredPart } from "#core/record/record.ts";
import { toMessage } from "#core/record/view.ts";
import { hostMessage } from "#host/host-records.ts";

import { isAddress } from "./read-input.ts";

/** The values of new records: a source of increasing ids, the time (microseconds), and the id of their run. */
export interface RecordPorts {
  newId: () => string;
  at: number;
  runId: string;
}

/** A restored conversation. */
export interface RestoredConversation {
  records: MessageRecord[];
  /** The messages with their defaults filled in. */
  messages: SessionMessage[];
  /** Calls of the last answer that have no result. */
  open: ToolCallPart[];
}

/** Restores a conversation. Throws `invalid_request` if calls and results do not match. */
export function restoreConversation(messages: readonly ContextMessage[], means: RecordPorts): RestoredConversation {
  const open = openCalls(messages);
  const transcript = initialTranscript([...messages, ...open.map(placeholder)]);
  if (!Array.isArray(transcript)) {
    throw refuse("invalid_request", `messages.${transcript.index}: ${transcript.message}`);
  }
  const byIndex = new Map(transcript.map((item) => [item.index, item]));
  const records: MessageRecord[] = [];
  const shown = messages.flatMap((message, index): SessionMessage[] => {
    const item = byIndex.get(index) ?? readEmptyAnswer(message, index);
    if (item === null) return message.role === "error" ? [{ role: "error", error: message.error }] : [];
    const record = recordOf(item, message, means);
    records.push(record);
    const error = message.role === "error" ? message.error : null;
    const view = toSessionMessage(toMessage(record), { providers: providerOf(message), error });
    return view === null ? [] : [view];
  });
  return { records, messages: shown, open };
}

function openCalls(messages: readonly ContextMessage[]): ToolCallPart[] {
  const at = messages.findLastIndex(({ role }) => role !== "toolResult");
  const last = messages[at];
  if (last?.role !== "assistant") return [];
  const answered = new Set(
    messages.slice(at + 1).flatMap((each) => (each.role === "toolResult" ? [each.toolCallId] : [])),
  );
  return last.content.flatMap((part) => {
    if (part.type !== "toolCall" || answered.has(part.id)) return [];
    const { id, name, arguments: args } = part;
    return [{ type: "tool_call", id, name, arguments: args }];
  });
}

/** Converts an answer without text, so that the conversation keeps it at its position. Null for a message that is not an answer. */
function readEmptyAnswer(message: ContextMessage, index: number): TranscriptMessage | null {
  if (answerIn(message) === null) return null;
  const stop_reason = message.role === "error" || message.role === "aborted" ? message.role : "stop";
  return { role: "assistant", parts: [], stop_reason, index };
}

function placeholder({ id }: ToolCallPart): ToolResultInput {
  return { role: "toolResult", toolCallId: id, content: "" };
}

function recordOf(item: TranscriptMessage, message: ContextMessage, means: RecordPorts): MessageRecord {
  switch (item.role) {
    case "user":
      return userRecord({ role: "user", content: message.role === "user" ? message.content : "" }, means);
    case "assistant":
      return {
        ...draft("assistant", item.parts, means),
        // The step number marks an answer of a model. Messages that a client added to a conversation have no step.
        step: 1,
        side: "a",
        stop_reason: item.stop_reason,
        ...usageOfMessage(message),
      };
    case "tool": {
      const { tool_call_id, name, result } = item;
      const text = (result.status === "error" ? result.error : result.result) ?? "";
      return {
        ...draft("assistant", [{ type: "text", text }], means),
        role: "tool",
        name,
        tool_call_id,
        step: 1,
        side: "a",
        result,
        // Records the event as emitted: the earlier session emitted it when the result arrived.
        events: [{ seq: 0, at: means.at, type: "tool_execution_end", duration_ms: 0 }],
      };
    }
  }
}

/** The record of a user's message. */
export function userRecord(message: UserInput, means: RecordPorts): MessageRecord {
  const content = inputContent(message);
  const parts: StoredPart[] =
    typeof content === "string" ? [{ type: "text", text: content }] : content.map(withAddress);
  return draft("user", parts, means);
}

/** Returns the file part, with `url` in place of `path` if the path is a URL. */
function withAddress(part: StoredPart): StoredPart {
  if (part.type !== "file" || part.path === undefined || !isAddress(part.path)) return part;
  const { path: url, ...rest } = part;
  return { ...rest, url };
}

function draft(role: "user" | "assistant", parts: StoredPart[], { newId, at, runId }: RecordPorts): MessageRecord {
  return hostMessage({ id: newId(), role, parts }, { at, run_id: runId });
}

type AnswerInput = Extract<ContextMessage, { role: "assistant" }>;

function answerIn(message: ContextMessage): AnswerInput | null {
  if (message.role === "assistant") return message;
  return message.role === "error" || message.role === "aborted" ? (message.partial ?? null) : null;
}

/** The model that answered and its usage. Invalid values count as unknown. */
function usageOfMessage(message: ContextMessage): Pick<MessageRecord, "model" | "usage" | "cost"> {
  const answer = answerIn(message);
  const usage = sessionUsageSchema.safeParse(answer?.usage).data;
  const model = answer?.model ?? null;
  if (usage === undefined) return { model, usage: null, cost: null };
  const { input, output, cacheRead, cacheWrite, totalTokens } = usage;
  return {
    model,
    usage: { input, output, cache_read: cacheRead, cache_write: cacheWrite, total_tokens: totalTokens },
    cost: costSchema.safeParse(answer?.cost).data ?? null,
  };
}

function providerOf(message: ContextMessage): ReadonlyMap<string, string> {
  const { model, provider } = answerIn(message) ?? {};
  return new Map(model == null || provider == null ? [] : [[model, provider]]);
}
