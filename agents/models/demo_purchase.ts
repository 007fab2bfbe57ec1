// Plays a purchaser: orders the item that the message names with a price, and reports the result.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { call, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_purchase",
  provider: "test",
  model: "demo_purchase",
  inputPrice: 0,
  outputPrice: 0,
  script: answer,
});

function answer({ messages, lastUser }: TestRequest): TestTurn {
  const last = messages.at(-1);
  if (last?.role === "tool")
    return say(/declined|Nobody approved/.test(last.content) ? "Then I leave it." : last.content);
  const price = Number(/\d+/.exec(lastUser)?.[0]);
  if (!(price > 0)) return say('What, and for how much? Try "A desk lamp for 40" or "An espresso machine for 900".');
  const item =
    lastUser
      .split(/\s+for\s/i)[0]
      ?.replace(/^(buy|order)\s+/i, "")
      .trim() ?? "";
  return call("place_order", { item: item === "" ? "something" : item.slice(0, 80), price }, "I order it.");
}
