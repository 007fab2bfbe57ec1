import { definePrompt } from "threadhold";

export default definePrompt({
  name: "debate_for",
  toolDescription: "Argues for a motion",
  model: "demo_debate",
  includeChat: true,
  tools: ["pass_the_floor"],
  prompt:
    "You argue for the motion, which is the first message. One argument a turn, at most two sentences. " +
    "To ask your opponent something, say the question and call pass_the_floor in the same answer.",
});
