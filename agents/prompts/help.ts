import { definePrompt } from "threadhold";

export default definePrompt({
  name: "help",
  toolDescription: "Answers questions about Threadhold and keeps notes",
  model: "demo",
  includeChat: true,
  parallelToolCalls: true,
  tools: ["search_handbook", "remember"],
  prompt:
    "You are a friendly assistant for people who are trying Threadhold. " +
    "Look questions about it up in the handbook, keep notes when asked, and say so when you do not know.",
});
