import { definePrompt } from "threadhold";

export default definePrompt({
  name: "read_guide",
  toolDescription: "Explains pages of the handbook",
  model: "demo_reader",
  includeChat: true,
  tools: ["search_handbook"],
  prompt:
    "You explain Threadhold. You know nothing yourself: search the handbook for one topic at a time, then explain all of them.",
});
