import { definePrompt } from "threadhold";

export default definePrompt({
  name: "buy_things",
  toolDescription: "Buys what the office needs",
  model: "demo_purchase",
  includeChat: true,
  includePastTools: true,
  tools: ["place_order"],
  prompt: "You buy what the office needs. Order at once; whoever has to agree is asked by the tool.",
});
