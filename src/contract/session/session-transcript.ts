// Messages of a thread as messages of a session. What the rework plan has no word for is left out: nested lines, silent
// messages, system words and an application's own records.

import type { Message } from "../thread-message.ts";
import type { Usage } from "../usage.ts";
import type {
  AssistantMessage,
  SessionMessage,
  SessionToolCall,
  ToolResultMessage,
  UserMessage,
} from "./session-message.ts";

/** Providers by the names of their models' definitions. */
export type Providers = ReadonlyMap<string, string>;

/** A message of the thread as the session shows it. */
export type ShownMessage = Pick<
  Message,
  | "role"
  | "parts"
  | "content"
  | "depth"
  | "parent_id"
  | "silent"
  | "stop_reason"
  | "model"
  | "usage"
  | "cost"
  | "result"
> &
  Pick<Message, "name" | "tool_call_id">;

/** Whether a session shows the line of a message at all. */
export function isOnMainLine(of: { depth?: number | undefined; parent_id?: string | null | undefined }): boolean {
  return (of.depth ?? 0) === 0 && (of.parent_id ?? null) === null;
}

/** The message; null for one that a session does not show. `error` says why an answer broke off, where that is known. */
export function toSessionMessage(
  message: ShownMessage,
  { providers, error = null }: { providers: Providers; error?: string | null },
): SessionMessage | null {
  if (message.silent || !isOnMainLine(message)) return null;
  switch (message.role) {
    case "user":
      return toUserMessage(message);
    case "assistant": {
      const answer = toAssistantMessage(message, providers);
      if (message.stop_reason === "aborted") return { role: "aborted", partial: answer };
      if (message.stop_reason !== "error") return answer;
      return { role: "error", error: error ?? "The model failed.", partial: answer };
    }
    case "tool":
      return toToolResult(message);
    case "system":
    case "extension":
      return null;
  }
}

/** Text alone is a string, as it was most often sent. What another side's model said is its words. */
function toUserMessage({ parts, content }: ShownMessage): UserMessage {
  const files = parts.some(({ type }) => type === "image" || type === "file");
  if (!files) return { role: "user", content: content ?? "" };
  const shown = parts.flatMap((part): Exclude<UserMessage["content"], string> => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type !== "image" && part.type !== "file") return [];
    const { path, data, url, mime_type: mimeType } = part;
    if (part.type === "image" && data !== undefined) return [{ type: "image", data, mimeType }];
    return [{ type: "file", path: path ?? url ?? "", mimeType }];
  });
  return { role: "user", content: shown };
}

function toAssistantMessage(
  { parts, stop_reason, model, usage, cost }: ShownMessage,
  providers: Providers,
): AssistantMessage {
  return {
    role: "assistant",
    content: parts.flatMap((part): AssistantMessage["content"] => {
      if (part.type === "text") return [{ type: "text", text: part.text }];
      if (part.type === "thinking") return [{ type: "thinking", thinking: part.thinking }];
      if (part.type === "tool_call") return [{ type: "toolCall", ...toSessionCall(part) }];
      return [];
    }),
    stopReason: stopReasonOf(stop_reason),
    model,
    provider: (model === null ? undefined : providers.get(model)) ?? null,
    usage: usage === null ? null : toSessionUsage(usage),
    cost,
  };
}

/** The plan knows three reasons: what a filter ended has ended, what a stop or a failure cut is cut. */
function stopReasonOf(reason: Message["stop_reason"]): AssistantMessage["stopReason"] {
  switch (reason) {
    case "length":
    case "aborted":
    case "error":
      return "length";
    case "tool_calls":
      return "tool_calls";
    case "stop":
    case "content_filter":
    case null:
      return "stop";
  }
}

function toSessionUsage({ input, output, cache_read, cache_write, total_tokens }: Usage): AssistantMessage["usage"] {
  return { input, output, cacheRead: cache_read, cacheWrite: cache_write, totalTokens: total_tokens };
}

function toToolResult({ name, tool_call_id, result, content }: ShownMessage): ToolResultMessage {
  const details = result?.details;
  return {
    role: "toolResult",
    toolCallId: tool_call_id ?? "",
    toolName: name ?? "",
    content: content ?? outputOf(result),
    ...(details === undefined ? {} : { details }),
    isError: result?.status === "error",
  };
}

/** What a model reads of a result. */
export function outputOf(result: Message["result"]): string {
  return (result?.status === "error" ? result.error : result?.result) ?? "";
}

/** A call without what only we know of it. */
export function toSessionCall(call: Pick<SessionToolCall, "id" | "name" | "arguments">): Omit<SessionToolCall, "kind"> {
  return { id: call.id, name: call.name, arguments: call.arguments };
}

/** A call as a thread shows it. Arguments of a child thread's call that are too large to be handed on stay in that thread. */
interface PendingCallLike {
  id: string;
  name: string;
  arguments?: SessionToolCall["arguments"] | undefined;
  kind?: "remote" | "approval" | "limit";
}

/** A call that somebody is waited for, with what is waited for where that is not the tool's result. */
export function toPendingCall({ id, name, arguments: args, kind = "remote" }: PendingCallLike): SessionToolCall {
  return { id, name, arguments: args ?? {}, ...(kind === "remote" ? {} : { kind }) };
}
