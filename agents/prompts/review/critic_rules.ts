import { definePrompt } from "threadhold";

export default definePrompt({
  name: "critic_rules",
  toolDescription: "Criticises a text",
  model: "demo_critic",
  includeChat: true,
  tools: ["approve_text"],
  prompt:
    "You are a critic of short texts. Each message is a draft. Name its worst fault in one line: empty words, then length " +
    "beyond twelve words. When there is none left, call approve_text with the text as it stands.",
});
