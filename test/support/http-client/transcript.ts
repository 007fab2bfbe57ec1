// A conversation without what differs between two tellings of it: ids, times, numbers.

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

/** The lines of messages, in their order. */
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

/** The messages of a folded view as the API would list them. Throws while one still grows. */
export function settledMessages(views: readonly MessageView[]): Message[] {
  return views.map(({ streaming, ...message }) => {
    if (streaming) throw new Error(`Message ${message.id} never ended`);
    return message;
  });
}
