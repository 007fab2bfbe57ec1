import { definePrompt } from "threadhold";

export default definePrompt({
  name: "billing_rules",
  toolDescription: "Refunds orders of the shop",
  model: "demo_support",
  // Without this, the new desk would not see the messages of earlier runs, which the old desk answered.
  includeChat: true,
  includePastTools: true,
  tools: ["look_up_order", "refund_order", "support_desk"],
  prompt:
    "You are the billing desk of a small shop. Refund an order once you have looked it up and it is paid. " +
    "Hand everything that is not about money back to support_desk.",
});
