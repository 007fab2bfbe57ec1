import { definePrompt } from "threadhold";

export default definePrompt({
  name: "help_google",
  toolDescription: "Answers questions with a model of Google",
  model: "google",
  includeChat: true,
  parallelToolCalls: true,
  tools: ["search_handbook", "remember"],
  prompt: [
    { type: "include", prompt: "house_rules" },
    { type: "text", content: "\n\nKeep notes with your tool when the person asks you to remember something." },
  ],
});
