// Converts the initial messages of a session into messages of a thread. Each call needs its result and each result its
// call. Otherwise the transcript is refused, with the index of the message.

import type { ToolResult } from "../call-result.ts";
import type { InputContent, Part } from "../content.ts";
import type { StopReason } from "../thread-message.ts";
import type { PostedResult } from "../tool-route.ts";
import type { TranscriptMessage } from "../transcript.ts";
import type { ContextMessage, ToolResultInput, UserInput } from "./execute-request.ts";

/** An error in a transcript; `index` is the message's index. */
export interface TranscriptProblem {
  index: number;
  message: string;
}

/** Returns the messages in order, or the error. An answer without content adds no message. */
export function initialTranscript(messages: readonly ContextMessage[]): TranscriptMessage[] | TranscriptProblem {
  const stored: TranscriptMessage[] = [];
  const calls = new Map<string, { index: number; name: string; answered: boolean }>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "toolResult") {
      const call = calls.get(message.toolCallId);
      if (call === undefined)
        return { index, message: `answers "${message.toolCallId}", which no message before it calls` };
      if (call.answered) return { index, message: `answers "${message.toolCallId}" a second time` };
      call.answered = true;
      stored.push({ ...toolMessage(message, call.name), index });
      continue;
    }
    const open = [...calls].find(([, { answered }]) => !answered);
    if (open !== undefined) return unanswered(open);
    if (message.role === "user") {
      stored.push({ role: "user", content: inputContent(message), index });
      continue;
    }
    const parts = partsOf(message);
    for (const part of parts) {
      if (part.type !== "tool_call") continue;
      if (calls.has(part.id)) return { index, message: `uses the call id "${part.id}" again` };
      calls.set(part.id, { index, name: part.name, answered: false });
    }
    if (parts.length > 0) stored.push({ role: "assistant", parts, stop_reason: stopReasonOf(message), index });
  }
  const open = [...calls].find(([, { answered }]) => !answered);
  return open === undefined ? stored : unanswered(open);
}

function unanswered([id, { index }]: [string, { index: number }]): TranscriptProblem {
  return { index, message: `calls "${id}", and no message right behind it answers that` };
}

type AnswerLike = Exclude<ContextMessage, { role: "user" | "toolResult" }>;

/** Of a partial answer the text is kept and the calls are dropped. */
function partsOf(message: AnswerLike): Part[] {
  const content = message.role === "assistant" ? message.content : (message.partial?.content ?? []);
  return content.flatMap((part): Part[] => {
    if (part.type !== "toolCall") return [part];
    if (message.role !== "assistant") return [];
    const { id, name, arguments: args } = part;
    return [{ type: "tool_call", id, name, arguments: args, ...(typeof args === "string" ? { invalid: true } : {}) }];
  });
}

function stopReasonOf(message: AnswerLike): StopReason | null {
  return message.role === "assistant" ? (message.stopReason ?? null) : message.role;
}

/** The content of a user message in the form that a thread accepts. */
export function inputContent({ content }: UserInput): InputContent {
  if (typeof content === "string") return content;
  return content.map((part) => {
    if (part.type === "text") return part;
    const { mimeType: mime_type, ...rest } = part;
    return { ...rest, mime_type };
  });
}

function toolMessage(message: ToolResultInput, name: string) {
  const said = textOf(message);
  const { details, isError } = message;
  const more = details === undefined ? {} : { details };
  const result: ToolResult =
    isError === true ? { status: "error", error: said, ...more } : { status: "success", result: said, ...more };
  return { role: "tool" as const, tool_call_id: message.toolCallId, name, result };
}

/** A tool result in the form that `POST …/tool-results` accepts. */
export function postedResult(message: ToolResultInput): PostedResult {
  const { toolCallId: tool_call_id, details, isError } = message;
  const said = textOf(message);
  const more = details === undefined ? {} : { details };
  if (isError !== true) return { tool_call_id, content: said, ...more };
  return { tool_call_id, error: said === "" ? "The tool failed without saying why." : said, ...more };
}

function textOf({ content, output }: ToolResultInput): string {
  const said = content ?? output ?? "";
  return typeof said === "string" ? said : said.map(({ text }) => text).join("");
}
