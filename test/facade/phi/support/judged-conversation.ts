// A conversation with calls, images and messages of the application, which a judge reads as a transcript.

import { extensionMessage, userMessage } from "#facade/phi/index.ts";
import type { AgentMessage, AssistantMessage, Content } from "#facade/phi/index.ts";

function answer(content: Content[]): AssistantMessage {
  const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0, total_tokens: 2 };
  return { role: "assistant", content, stop_reason: "stop", model: "m", provider: "p", usage, timestamp: 1 };
}

/** The conversation. Its last message is a user's. */
export function conversation(): AgentMessage[] {
  return [
    userMessage("Hello.", 1),
    answer([
      { type: "thinking", thinking: "Hm." },
      { type: "text", text: "I look." },
      { type: "toolCall", id: "c", name: "look", arguments: { at: "here" } },
    ]),
    {
      role: "toolResult",
      tool_call_id: "c",
      tool_name: "look",
      content: [
        { type: "text", text: "a map" },
        { type: "image", data: "aGk=", mime_type: "image/png" },
      ],
      is_error: false,
      timestamp: 1,
    },
    answer([{ type: "text", text: "Where to?" }]),
    extensionMessage("note", "private"),
    userMessage("To the sea.", 1),
  ];
}
