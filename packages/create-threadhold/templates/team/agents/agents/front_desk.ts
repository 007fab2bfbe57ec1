import { defineAgent } from "threadhold";

export default defineAgent({
  name: "front_desk",
  description: "Answers customers and hands refunds over to billing.",
  starters: ["I want a refund for order 1042"],
  // A prompt that lists an agent in its tools can hand the conversation over to it. The model reads this text.
  toolDescription: "Hand the conversation to the front desk: everything but money.",
  sideA: { label: "Front desk", prompt: "front_desk_rules", maxSteps: 10 },
});
