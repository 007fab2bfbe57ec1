import { defineAgent } from "threadhold";

export default defineAgent({
  name: "purchaser",
  description: "Demo: an agent whose tool asks a person before it spends money. Needs no key.",
  starters: ["An espresso machine for 900"],
  exposeAsTool: true,
  toolDescription: "Buys things, after a person has approved the price",
  sideA: { label: "Purchaser", prompt: "buy_things", maxSteps: 10 },
});
