// The agent that a customer's thread starts with. `billing_desk` hands the thread back to it.

import { defineAgent } from "threadhold";

export default defineAgent({
  name: "support_desk",
  description: "Demo: a support desk that hands refunds over to billing. Needs no key.",
  starters: ["I want a refund for order 1042"],
  toolDescription: "Hand the conversation to the support desk: parcels, addresses, everything but money.",
  sideA: { label: "Support", prompt: "support_rules", maxSteps: 10 },
});
