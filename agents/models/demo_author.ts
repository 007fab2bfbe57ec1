// Plays the author: writes a draft that is too long, has it reviewed, and passes the result on.

import { defineModel } from "threadhold";

import { call, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_author",
  provider: "test",
  model: "demo_author",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ messages, lastUser }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return say(last.content);
    const thing = /\b(?:for|about|on)\s+(.+?)[.!?]*$/i.exec(lastUser)?.[1] ?? lastUser.trim();
    const name = thing.charAt(0).toUpperCase() + thing.slice(1);
    const draft = `${name}: really the very best there is, truly made to last, for every day of your whole life.`;
    return call("review_room", { task: draft }, "I have a draft; let it be reviewed.");
  },
});
