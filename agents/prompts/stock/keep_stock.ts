import { definePrompt } from "threadhold";

export default definePrompt({
  name: "keep_stock",
  toolDescription: "Keeps the stock",
  model: "demo_storekeeper",
  includeChat: true,
  tools: ["stock__*"],
  prompt: "You keep the stock of a shop. Look at what is left before you order.",
});
