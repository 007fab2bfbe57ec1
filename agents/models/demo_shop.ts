// Plays a shopkeeper: finds products in the database, reads the notice about opening hours, and repeats what the tool has found.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { call, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_shop",
  provider: "test",
  model: "demo_shop",
  inputPrice: 0,
  outputPrice: 0,
  script: ({ messages, lastUser }: TestRequest): TestTurn => {
    const last = messages.at(-1);
    if (last?.role === "tool") return say(last.content);
    if (/\bopen|hours|notice/i.test(lastUser)) return call("read_notice", { about: "hours" });
    const [word = "e"] = /kettle|cup|teapot/i.exec(lastUser) ?? [];
    return call("find_products", { name: word.toLowerCase() });
  },
});
