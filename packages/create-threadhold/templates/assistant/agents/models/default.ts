// A scripted model. It needs no key: the function below writes its answers and calls tools, as a model would.
import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

export default defineModel({
  name: "default",
  provider: "test",
  model: "scripted",
  script: answer,
});

function answer({ messages, lastUser }: TestRequest): TestTurn {
  const last = messages.at(-1);
  if (last?.role === "tool") return say(last.content);
  const note = /\bremember(?: that)?:?\s+(.+)/i.exec(lastUser)?.[1];
  if (note !== undefined) return call("remember", { note });
  const sent = /\bsend the team:?\s+(.+)/i.exec(lastUser)?.[1];
  if (sent !== undefined) return call("send_note", { note: sent });
  if (/\bnotes?\b/i.test(lastUser)) return call("read_notes", {});
  if (/\btime\b/i.test(lastUser)) return call("current_time", { time_zone: "UTC" });
  return say('I play a script. Ask me "What time is it?", or tell me "Remember that the door code is 4711".');
}

function say(text: string): TestTurn {
  return { delayMs: 30, text };
}

function call(name: string, args: Record<string, unknown>): TestTurn {
  return { delayMs: 30, toolCalls: [{ name, arguments: args }] };
}
