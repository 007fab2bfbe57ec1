import { definePrompt } from "threadhold";

export default definePrompt({
  name: "assistant",
  toolDescription: "Answers questions",
  model: "default",
  // The model gets the messages of the whole conversation.
  includeChat: true,
  prompt: "You are a helpful assistant.",
});
