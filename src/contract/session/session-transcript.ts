// Converts messages of a thread into messages of a session. Messages for which the rework plan has no type are left
// out: those of nested scopes, silent messages, system messages, and an application's own records.

import type { Message } from "../thread-message.ts";
import type { Usage } from "../usage.ts";
import type {
  AssistantMessage,
  SessionMessage,
  SessionToolCall,
  ToolResultMessage,
  UserMessage,
} from "./session-message.ts";

/** The provider of each model, by the name of the model's definition. */
export type Providers = ReadonlyMap<string, string>;

/** The fields of a thread's message that a session shows. */
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

/** Whether a session shows the scope of a message: the main loop is shown, nested loops are not. */
export function isOnMainLine(of: { depth?: number | undefined; parent_id?: string | null | undefined }): boolean {
  return (of.depth ?? 0) === 0 && (of.parent_id ?? null) === null;
}

/**
 * Returns the message; null for one that a session does not show. `error` is the reason why an answer failed, if it is
 * known.
 */
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

/** A message of text alone becomes a string. A message of the agent's other side becomes its text. */
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

/**
 * The plan has three stop reasons: an answer that a content filter ended counts as `stop`, one that a stop or a failure
 * interrupted counts as `length`.
 */
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

/** The text of a result as the model reads it. */
export function outputOf(result: Message["result"]): string {
  return (result?.status === "error" ? result.error : result?.result) ?? "";
}

/** The fields of a call that the plan defines. `kind`, an addition to the plan, is left out. */
export function toSessionCall(call: Pick<SessionToolCall, "id" | "name" | "arguments">): Omit<SessionToolCall, "kind"> {
  return { id: call.id, name: call.name, arguments: call.arguments };
}

/**
 * A pending call as a thread shows it. Very large arguments of a child thread's call stay in that thread and are
 * missing here.
 */
interface PendingCallLike {
  id: string;
  name: string;
  arguments?: SessionToolCall["arguments"] | undefined;
  kind?: "remote" | "approval" | "limit" | "question";
}

/** A call that waits for an answer from outside. `kind` is set unless the call waits for the tool's result. */
export function toPendingCall({ id, name, arguments: args, kind = "remote" }: PendingCallLike): SessionToolCall {
  return { id, name, arguments: args ?? {}, ...(kind === "remote" ? {} : { kind }) };
}
