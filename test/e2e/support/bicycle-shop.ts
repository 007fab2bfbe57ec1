// The script of the models in the bicycle shop project: their answers, by the prompt and the first word of the message.

import { type ProviderRequest, type ProviderAnswer, textOf } from "./scripted-provider.ts";

/** The front desk's answer to a message that starts with this word. */
const desk: Record<string, ProviderAnswer> = {
  Which: {
    calls: [
      { name: "find_bicycle", args: { kind: "race" } },
      { name: "find_bicycle", args: { kind: "cargo" } },
    ],
  },
  When: { calls: [{ name: "opening_hours", args: {} }] },
  Squeak: { calls: [{ name: "mechanic", args: { symptom: "It squeaks" } }] },
  Label: {
    calls: [
      { name: "draw_label", args: { text: "Fragile" } },
      { name: "write_receipt", args: { amount: 12 } },
    ],
  },
  Plan: { calls: [{ name: "plan_visit", args: {} }] },
  Bill: { calls: [{ name: "billing_agent", args: { task: "Settle the bill" } }] },
  Argue: { calls: [{ name: "argue_agent", args: { task: "Is it worth it?" } }] },
  Close: { calls: [{ name: "close_ticket", args: {} }] },
};

/** The script. A step after tool calls repeats their results. */
export function bicycleShop({ body }: ProviderRequest): ProviderAnswer {
  const { messages, model } = body;
  const system = textOf(messages[0]);
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  const results = messages.slice(lastUser + 1).filter(({ role }) => role === "tool");
  const word = textOf(messages[lastUser]).split(/[\s.,!?]/)[0] ?? "";
  if (system.startsWith("You are the mechanic")) {
    return results.length === 0
      ? { calls: [{ name: "find_bicycle", args: { kind: "city", size: 54 } }] }
      : { text: "Oil the chain." };
  }
  if (system.startsWith("You are the optimist")) return { text: "It will be fine." };
  if (system.startsWith("You are the pessimist")) {
    return { calls: [{ name: "give_verdict", args: { verdict: "Buy it" } }] };
  }
  if (system.startsWith("You settle bills")) return { text: "You owe nothing." };
  if (word === "Spare" && model === "gpt-4o") return { status: 400 };
  if (results.length > 0) return { text: results.map(textOf).join(" | ") };
  return desk[word] ?? { text: `You said: ${textOf(messages[lastUser])}` };
}
