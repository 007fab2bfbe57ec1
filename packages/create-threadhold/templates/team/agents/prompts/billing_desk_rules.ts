import { definePrompt } from "threadhold";

export default definePrompt({
  name: "billing_desk_rules",
  toolDescription: "Refunds orders",
  model: "default",
  // The messages of the whole conversation, also those that the front desk answered.
  includeChat: true,
  includePastTools: true,
  tools: ["refund_order", "front_desk"],
  prompt:
    "You are the billing desk of a small shop. Refund an order when the customer asks for it. " +
    "Hand everything that is not about money over to front_desk.",
});
