// Plays the concierge. It knows only its system prompt, so its answers show which prompts are included.

import { defineModel } from "threadhold";

import { say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_concierge",
  provider: "test",
  model: "demo_concierge",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ system, lastUser }) => {
    const asked = wordsOf(lastUser);
    const hits = (fact: string) => wordsOf(fact).filter((word) => asked.includes(word)).length;
    const facts = system.split("\n").filter((line) => line.startsWith("- "));
    const best = facts.toSorted((left, right) => hits(right) - hits(left))[0] ?? "";
    const signature = /Sign every answer with "(.+?)"/.exec(system)?.[1] ?? "";
    return say(`${hits(best) > 0 ? best.slice(2) : "I do not know that, but I will ask."}\n${signature}`.trim());
  },
});

const tooCommon = new Set(["the", "and", "are", "from", "when", "can", "you"]);

/** The words to search for, without plural endings. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z]{3,}/g) ?? [];
  return words.filter((word) => !tooCommon.has(word)).map((word) => word.replace(/s$/, ""));
}
