// An agent with one side that stands in another prompt's `tools` is handed the whole thread when it is called.

import { defineAgent } from "threadhold";

export default defineAgent({
  name: "billing_desk",
  description: "Demo: the desk that refunds. Needs no key.",
  toolDescription: "Hand the conversation to billing: refunds, invoices, payments.",
  sideA: { label: "Billing", prompt: "billing_rules", maxSteps: 10 },
});
