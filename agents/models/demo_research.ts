// Plays the reporter and the researcher.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { call, isOffered, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_research",
  provider: "test",
  model: "demo_research",
  inputPrice: 0,
  outputPrice: 0,
  script: (request) => (isOffered(request, "researcher") ? report(request) : research(request)),
});

const topics = ["thread", "run", "event", "tool", "model"];

function report({ messages, lastUser }: TestRequest): TestTurn {
  const begun = messages.findLastIndex(({ role }) => role === "user");
  const found = messages.slice(begun).filter(({ role }) => role === "tool");
  if (found.length > 0) return say(["Report", ...found.map(({ content }) => `- ${content}`)].join("\n"));
  const asked = topics.filter((topic) => lastUser.toLowerCase().includes(topic));
  if (asked.length === 0) return say(`I report on Threadhold. Name some of these: ${topics.join("s, ")}s.`);
  const questions = asked.map((topic) => `What is ${/^[aeiou]/.test(topic) ? "an" : "a"} ${topic}?`);
  return {
    ...say("I send researchers off."),
    toolCalls: questions.map((question) => ({ name: "researcher", arguments: { question } })),
  };
}

function research({ messages, lastUser }: TestRequest): TestTurn {
  const last = messages.at(-1);
  if (last?.role !== "tool") return call("search_handbook", { question: lastUser });
  // The first sentence after the page's title.
  return say(/^[^:]+: (.+?\.)(\s|$)/.exec(last.content)?.[1] ?? last.content);
}
