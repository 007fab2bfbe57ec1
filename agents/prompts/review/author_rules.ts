import { definePrompt } from "threadhold";

export default definePrompt({
  name: "author_rules",
  toolDescription: "Writes a line that was reviewed",
  model: "demo_author",
  includeChat: true,
  tools: ["review_room"],
  prompt:
    "You write advertising lines. Draft one for what the person names, have it reviewed in review_room, " +
    "and give the person the approved line and nothing else.",
});
