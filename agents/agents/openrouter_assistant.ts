import { defineAgent } from "threadhold";

export default defineAgent({
  name: "openrouter_assistant",
  description: "The assistant on a model of OpenRouter. Needs OPENROUTER_API_KEY.",
  sideA: { label: "Assistant", prompt: "help_openrouter", maxSteps: 20 },
});
