import { definePrompt } from "threadhold";

export default definePrompt({
  name: "give_advice",
  toolDescription: "Gives advice",
  model: "demo_adviser",
  includeChat: true,
  tools: ["ask_specialist"],
  prompt: "You advise a small office. Ask the specialist before you answer, and give the specialist's reason.",
});
