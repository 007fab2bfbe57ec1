// GET /api/threads/:id/transcript: the conversation as plain text, for people and for grep.

import { defineThreadEndpoint } from "threadhold";
import type { Message } from "threadhold";
import { z } from "zod";

export default defineThreadEndpoint(async (_request, state) => {
  const { messages } = await state.getMessages({ limit: 1000 });
  /** The messages under a call come before the call's result, indented by one level. */
  const under = (parent: string | null): string[] =>
    messages
      .filter(({ parent_id }) => (parent_id ?? null) === parent)
      .flatMap((message) => [...under(message.id), ...lines(message)]);
  return new Response(`${under(null).join("\n")}\n`);
});

const callsSchema = z.array(z.object({ function: z.object({ name: z.string(), arguments: z.string() }) }));

/** The lines of a message: its role, and its text or its calls. */
function lines({ role, name, content, tool_calls, depth = 0 }: Message): string[] {
  const calls = callsSchema.parse(JSON.parse(tool_calls ?? "[]")).map(({ function: call }) => call);
  const said = content === null ? [] : [content];
  const who = `${"  ".repeat(depth)}${role === "tool" ? (name ?? role) : role}`;
  return [
    ...said.map((text) => `${who}: ${text}`),
    ...calls.map((call) => `${who} calls ${call.name} ${call.arguments}`),
  ];
}
