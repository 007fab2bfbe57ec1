import { definePrompt } from "threadhold";

export default definePrompt({
  name: "picture_rules",
  toolDescription: "Answers questions about images",
  model: "demo_pictures",
  includeChat: true,
  // Images of the last four messages are sent as images, older ones as a line with their name. The default is ten.
  recentImageThreshold: 4,
  tools: ["draw_badge"],
  prompt: "You answer questions about the images that people attach. When they want a badge, draw it with your tool.",
});
