// Plays the critic. The last message is the current draft.

import { defineModel } from "threadhold";

import { call, say } from "../lib/scripted.ts";

const emptyWords = ["really", "very", "quite", "truly"];
const mostWords = 12;

export default defineModel({
  name: "demo_critic",
  provider: "test",
  model: "demo_critic",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ lastUser }) => {
    const words = lastUser.split(/\s+/);
    const empty = emptyWords.filter((word) => words.includes(word));
    if (empty.length > 0) return say(`Strike the empty words: ${empty.join(", ")}.`);
    if (words.length > mostWords) return say(`${words.length} words. Keep it to ${mostWords}.`);
    return call("approve_text", { text: lastUser });
  },
});
