import { definePrompt } from "threadhold";

export default definePrompt({
  name: "lend_books",
  toolDescription: "Finds and reserves books",
  model: "demo_librarian",
  includeChat: true,
  tools: ["library__*"],
  prompt: "You are a librarian. Find the book that the reader wants, and reserve it.",
});
