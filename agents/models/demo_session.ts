// Plays a model for agent sessions (docs/guide/agent-sessions.md): it calls those of `add`, `where_am_i` and `forecast` that it is
// offered, and summarises the results. The tools are the client's.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { isOffered, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_session",
  provider: "test",
  model: "demo_session",
  inputPrice: 1,
  outputPrice: 2,
  script: answer,
});

function answer(request: TestRequest): TestTurn {
  const sum = resultOf(request, "add");
  const city = resultOf(request, "where_am_i");
  const sky = resultOf(request, "forecast");
  const first = [
    ...(sum === null && isOffered(request, "add") ? [{ name: "add", arguments: { a: 17, b: 25 } }] : []),
    ...(city === null && isOffered(request, "where_am_i")
      ? [{ name: "where_am_i", arguments: { precision: "city" } }]
      : []),
  ];
  if (first.length > 0) return { text: "Let me see.", toolCalls: first };
  if (city !== null && sky === null && isOffered(request, "forecast")) {
    return { toolCalls: [{ name: "forecast", arguments: { city } }] };
  }
  const words = [sum, sky].filter((each) => each !== null).join(", and: ");
  return say(words === "" ? "I was offered no tool that I know." : words);
}

/** The result of a tool since the user's last message; null if it was not called. */
function resultOf({ messages }: TestRequest, tool: string): string | null {
  const from = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(from).find(({ name }) => name === tool)?.content ?? null;
}
