// Plays an adviser: asks the specialist, then passes its opinion on.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { call, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_adviser",
  provider: "test",
  model: "demo_adviser",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ messages, lastUser }: TestRequest): TestTurn => {
    const last = messages.at(-1);
    if (last?.role === "tool") return say(`The specialist says: ${last.content}`);
    return call("ask_specialist", { question: lastUser.slice(0, 500) }, "Let me ask the specialist.");
  },
});
