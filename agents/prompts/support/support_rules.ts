import { definePrompt } from "threadhold";

export default definePrompt({
  name: "support_rules",
  toolDescription: "Answers customers of the shop",
  model: "demo_support",
  includeChat: true,
  includePastTools: true,
  // A tool and an agent in the same list. A call of the agent hands the conversation over.
  tools: ["look_up_order", "billing_desk"],
  prompt:
    "You are the support desk of a small shop. Look orders up before you say anything about them. " +
    "You cannot move money: hand refunds, invoices and payments to billing_desk, with the order's number in the task.",
});
