import { definePrompt } from "threadhold";

export default definePrompt({
  name: "debate_against",
  toolDescription: "Argues against a motion",
  model: "demo_debate",
  includeChat: true,
  tools: ["close_debate"],
  prompt:
    "You argue against the motion, which is the first message. One argument a turn, at most two sentences. " +
    "After three turns, or when nothing new comes, call close_debate with a fair verdict.",
});
