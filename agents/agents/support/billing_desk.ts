// An agent with one side. A prompt that lists it in `tools` hands the whole thread over to it by a call.

import { defineAgent } from "threadhold";

export default defineAgent({
  name: "billing_desk",
  description: "Demo: the desk that refunds. Needs no key.",
  toolDescription: "Hand the conversation to billing: refunds, invoices, payments.",
  sideA: { label: "Billing", prompt: "billing_rules", maxSteps: 10 },
});
