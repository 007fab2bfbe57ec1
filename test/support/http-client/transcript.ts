// A conversation without ids, times and numbers, which differ between two runs of the same conversation.

import { z } from "zod";

import type { MessageView } from "#contract/fold.ts";
import type { Message } from "#contract/thread-message.ts";

/** One line of a conversation. */
export interface Line {
  role: string;
  content: string | null;
  thinking: string;
  calls: { name: string; arguments: unknown }[];
  answers: string | null;
}

const callsSchema = z.array(z.object({ function: z.object({ name: z.string(), arguments: z.string() }) }));

/** Converts messages to the lines of a transcript, in order. */
export function transcript(messages: readonly Message[]): Line[] {
  return messages.map(({ role, content, parts, tool_calls, name }) => ({
    role,
    content,
    thinking: parts.map((part) => (part.type === "thinking" ? part.thinking : "")).join(""),
    calls: callsSchema
      .parse(JSON.parse(tool_calls ?? "[]"))
      .map(({ function: { name: called, arguments: given } }) => ({
        name: called,
        arguments: JSON.parse(given) as unknown,
      })),
    answers: role === "tool" ? name : null,
  }));
}

/** The messages of a folded view in the form in which the API lists them. Throws if one of them is still streaming. */
export function settledMessages(views: readonly MessageView[]): Message[] {
  return views.map(({ streaming, ...message }) => {
    if (streaming) throw new Error(`Message ${message.id} never ended`);
    return message;
  });
}
