import { defineAgent } from "threadhold";

export default defineAgent({
  name: "billing_desk",
  description: "Refunds orders.",
  toolDescription: "Hand the conversation to billing: refunds, invoices, payments.",
  sideA: { label: "Billing", prompt: "billing_desk_rules", maxSteps: 10 },
});
