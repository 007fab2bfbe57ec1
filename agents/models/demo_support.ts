// Plays both desks of the support demo. It recognises the desk by the tools that it may call.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { call, isOffered, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_support",
  provider: "test",
  model: "demo_support",
  inputPrice: 0,
  outputPrice: 0,
  script: answer,
});

function answer(request: TestRequest): TestTurn {
  const last = request.messages.at(-1);
  const { wish, order } = wanted(request);
  const aboutMoney = /refund|invoice|charge|pay|paid|money/i.test(wish);
  if (last?.name === "look_up_order" && last.content.includes(", paid") && aboutMoney) {
    return call("refund_order", { order }, "The order is paid, so I refund it.");
  }
  if (last?.name === "look_up_order" || last?.name === "refund_order") return say(last.content);
  if (/^(hi|hello|hey|thanks|thank you)\b/i.test(wish)) return say("We are here for you. What can we do?");
  // The other desk has the same messages once it has the thread, and must not hand the thread back.
  if (aboutMoney && isOffered(request, "billing_desk")) {
    return call("billing_desk", { task: wish }, "Money is for my colleagues in billing.");
  }
  if (!aboutMoney && isOffered(request, "support_desk")) {
    return call("support_desk", { task: wish }, "My colleagues of the support desk know that.");
  }
  return order === undefined
    ? say("Which order is it? Its number has four digits: try 1042, 1043 or 1044.")
    : call("look_up_order", { order });
}

/** The customer's request and the order it is about: the last message that is more than a number, and the last number. */
function wanted({ messages, lastUser }: TestRequest): { wish: string; order: string | undefined } {
  const spoken = messages.filter(({ role }) => role === "user").map(({ content }) => content);
  const numbers = spoken.flatMap((text) => text.match(/\b\d{4}\b/g) ?? []);
  return { wish: spoken.findLast((text) => /[a-z]{2}/i.test(text)) ?? lastUser, order: numbers.at(-1) };
}
