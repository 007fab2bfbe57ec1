import { definePrompt } from "threadhold";

export default definePrompt({
  name: "writer_rules",
  toolDescription: "Rewrites a text",
  model: "demo_writer",
  includeChat: true,
  prompt: "You rewrite your draft as the critic asks. Answer with the new text and nothing else.",
});
