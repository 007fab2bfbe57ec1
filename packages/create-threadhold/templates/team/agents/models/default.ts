// A scripted model that plays both desks. It needs no key: the function below writes its answers and calls tools, as a model would.
import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

export default defineModel({
  name: "default",
  provider: "test",
  model: "scripted",
  script: answer,
});

function answer({ messages, lastUser, tools }: TestRequest): TestTurn {
  const last = messages.at(-1);
  if (last?.name === "refund_order") return say(last.content);
  const isOffered = (tool: string): boolean => tools.some(({ name }) => name === tool);
  const order = /\b\d{4}\b/.exec(lastUser)?.[0];
  const isAboutMoney = /refund|money|invoice/i.test(lastUser);
  if (isAboutMoney && isOffered("billing_desk")) return call("billing_desk", { task: lastUser });
  if (!isAboutMoney && isOffered("front_desk")) return call("front_desk", { task: lastUser });
  if (!isAboutMoney) return say('This is the front desk. I play a script: tell me "I want a refund for order 1042".');
  return order === undefined ? say("Which order is it? Try 1042.") : call("refund_order", { order });
}

function say(text: string): TestTurn {
  return { delayMs: 30, text };
}

function call(name: string, args: Record<string, unknown>): TestTurn {
  return { delayMs: 30, toolCalls: [{ name, arguments: args }] };
}
