// The system prompt, and the tools that the model may call.
import { definePrompt } from "threadhold";

export default definePrompt({
  name: "assistant",
  toolDescription: "Describe the task of this prompt, for a model that may call it as a tool.",
  prompt: "You are a helpful assistant.",
  model: "default",
  includeChat: true,
  includePastTools: true,
  tools: [],
});
