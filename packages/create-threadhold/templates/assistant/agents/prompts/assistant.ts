import { definePrompt } from "threadhold";

export default definePrompt({
  name: "assistant",
  toolDescription: "Answers questions and keeps notes",
  model: "default",
  // The model gets the messages of the whole conversation, with the results of its tools.
  includeChat: true,
  includePastTools: true,
  tools: ["current_time", "remember", "read_notes", "send_note"],
  prompt:
    "You are a helpful assistant. Read the time with your tool. Keep a note when the person asks you to remember something.",
});
