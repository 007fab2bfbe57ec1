// An earlier conversation as records that the loop goes on from. What a provider signed is not among the plan's messages, so
// thinking comes back as words alone.

import type { ToolCallPart } from "#contract/content.ts";
import { refuse } from "#contract/error.ts";
import type { ContextMessage, ToolResultInput, UserInput } from "#contract/session/execute-request.ts";
import { initialTranscript, inputContent } from "#contract/session/initial-transcript.ts";
import { sessionUsageSchema } from "#contract/session/session-message.ts";
import type { SessionMessage } from "#contract/session/session-message.ts";
import { toSessionMessage } from "#contract/session/session-transcript.ts";
import type { TranscriptMessage } from "#contract/transcript.ts";
import { costSchema } from "#contract/usage-schema.ts";
import type { MessageRecord, StoredPart } from "#core/record.ts";
import { toMessage } from "#core/view.ts";
import { hostMessage } from "#host/host-records.ts";

import { isAddress } from "./read-input.ts";

/** What records are made with: ids that rise, the time (microseconds), the run they belong to. */
export interface RecordMeans {
  newId: () => string;
  at: number;
  runId: string;
}

/** A conversation that was taken over. */
export interface Restored {
  records: MessageRecord[];
  /** The messages, all that was left out filled in. */
  messages: SessionMessage[];
  /** Calls of the last answer that have no result. */
  open: ToolCallPart[];
}

/** Takes it over. Throws `invalid_request` where calls and results do not match. */
export function restored(messages: readonly ContextMessage[], means: RecordMeans): Restored {
  const open = openCalls(messages);
  const transcript = initialTranscript([...messages, ...open.map(placeholder)]);
  if (!Array.isArray(transcript)) {
    throw refuse("invalid_request", `messages.${transcript.index}: ${transcript.message}`);
  }
  const byIndex = new Map(transcript.map((item) => [item.index, item]));
  const records: MessageRecord[] = [];
  const shown = messages.flatMap((message, index): SessionMessage[] => {
    const item = byIndex.get(index) ?? wordless(message, index);
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

/** An answer that came to no words has its place all the same; an error before the first one has none. */
function wordless(message: ContextMessage, index: number): TranscriptMessage | null {
  if (answerIn(message) === null) return null;
  const stop_reason = message.role === "error" || message.role === "aborted" ? message.role : "stop";
  return { role: "assistant", parts: [], stop_reason, index };
}

function placeholder({ id }: ToolCallPart): ToolResultInput {
  return { role: "toolResult", toolCallId: id, content: "" };
}

function recordOf(item: TranscriptMessage, message: ContextMessage, means: RecordMeans): MessageRecord {
  switch (item.role) {
    case "user":
      return userRecord({ role: "user", content: message.role === "user" ? message.content : "" }, means);
    case "assistant":
      return {
        ...draft("assistant", item.parts, means),
        // What tells an answer from words that were put into a conversation.
        step: 1,
        side: "a",
        stop_reason: item.stop_reason,
        ...accountOf(message),
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
        // It was told when it was new.
        events: [{ seq: 0, at: means.at, type: "tool_execution_end", duration_ms: 0 }],
      };
    }
  }
}

/** A user's message as a record. */
export function userRecord(message: UserInput, means: RecordMeans): MessageRecord {
  const content = inputContent(message);
  const parts: StoredPart[] = typeof content === "string" ? [{ type: "text", text: content }] : content.map(placed);
  return draft("user", parts, means);
}

/** What is shown as the path of a file may be an address. */
function placed(part: StoredPart): StoredPart {
  if (part.type !== "file" || part.path === undefined || !isAddress(part.path)) return part;
  const { path: url, ...rest } = part;
  return { ...rest, url };
}

function draft(role: "user" | "assistant", parts: StoredPart[], { newId, at, runId }: RecordMeans): MessageRecord {
  return hostMessage({ id: newId(), role, parts }, { at, run_id: runId });
}

type AnswerInput = Extract<ContextMessage, { role: "assistant" }>;

function answerIn(message: ContextMessage): AnswerInput | null {
  if (message.role === "assistant") return message;
  return message.role === "error" || message.role === "aborted" ? (message.partial ?? null) : null;
}

/** Which model answered, and what that used. Whatever makes no sense there is not known. */
function accountOf(message: ContextMessage): Pick<MessageRecord, "model" | "usage" | "cost"> {
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
