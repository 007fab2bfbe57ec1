import { definePrompt } from "threadhold";

export default definePrompt({
  name: "shop_rules",
  toolDescription: "Answers questions about a shop",
  prompt: "You keep a small shop. Find products and notices with your tools before you answer.",
  model: "demo_shop",
  includeChat: true,
  tools: ["find_products", "read_notice"],
});
