// Plays the writer of the strategy `checked_draft`: the last user message of a request is the instruction of the strategy.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_notice",
  provider: "test",
  model: "demo_notice",
  inputPrice: 0,
  outputPrice: 0,
  script: answer,
});

const emptyWords = ["really", "very", "truly"];
const mostWords = 12;

function answer({ messages, lastUser }: TestRequest): TestTurn {
  if (lastUser.startsWith("Write a draft")) return say(draftOf(messages.at(-2)?.content ?? ""));
  const draft =
    messages.findLast(({ role, content }) => role === "assistant" && !content.startsWith("{"))?.content ?? "";
  if (lastUser.startsWith("Check")) return say(JSON.stringify({ faults: faultsOf(draft) }));
  return say(lastUser.startsWith("Rewrite") ? rewritten(draft) : draft);
}

function draftOf(news: string): string {
  const text = news.replace(/[.!?]*$/, "");
  return `Dear guests, ${text.charAt(0).toLowerCase()}${text.slice(1)}, and we are really very sorry for all the trouble.`;
}

function faultsOf(draft: string): string[] {
  const words = draft.split(/\s+/);
  const empty = emptyWords.filter((word) => words.includes(word)).map((word) => `Strike "${word}".`);
  return words.length > mostWords ? [...empty, `Keep it to ${mostWords} words.`] : empty;
}

/** The draft without empty words, cut to the limit and there to a whole clause. */
function rewritten(draft: string): string {
  const words = draft.split(/\s+/).filter((word) => !emptyWords.includes(word));
  const text = words.slice(0, mostWords).join(" ");
  const whole = words.length > mostWords && text.includes(",") ? text.slice(0, text.lastIndexOf(",")) : text;
  return whole.replace(/[,.]*$/, ".");
}
