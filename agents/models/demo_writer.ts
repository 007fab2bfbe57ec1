// Plays the writer: its own last message is the draft, and the critic's last message is the requested change.

import { defineModel } from "threadhold";

import { say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_writer",
  provider: "test",
  model: "demo_writer",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ messages, lastUser }) => {
    const words = (messages.findLast(({ role }) => role === "assistant")?.content ?? "").split(/\s+/);
    const struck = /^Strike .*: (.+)\.$/.exec(lastUser)?.[1]?.split(", ") ?? [];
    const most = Number(/Keep it to (\d+)/.exec(lastUser)?.[1] ?? words.length);
    const kept = words.filter((word) => !struck.includes(word));
    const text = kept.slice(0, most).join(" ");
    // A shortened text ends with a whole clause if it has one.
    const whole = kept.length > most && text.includes(",") ? text.slice(0, text.lastIndexOf(",")) : text;
    return say(whole.replace(/[,.]*$/, "."));
  },
});
