import { definePrompt } from "threadhold";

export default definePrompt({
  name: "front_desk_rules",
  toolDescription: "Answers customers",
  model: "default",
  includeChat: true,
  includePastTools: true,
  // The name of an agent: a call hands the conversation over.
  tools: ["billing_desk"],
  prompt:
    "You are the front desk of a small shop. You cannot move money: hand refunds and invoices over to billing_desk, with the order's number.",
});
