import { definePrompt } from "threadhold";

export default definePrompt({
  name: "write_notice",
  toolDescription: "Writes a notice for guests",
  model: "demo_notice",
  includeChat: true,
  prompt: "You write notices for the guests of a hotel: one sentence of at most twelve words, without empty words.",
});
