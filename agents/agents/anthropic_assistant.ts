import { defineAgent } from "threadhold";

export default defineAgent({
  name: "anthropic_assistant",
  description: "The assistant on a model of Anthropic. Needs ANTHROPIC_API_KEY.",
  sideA: { label: "Assistant", prompt: "help_anthropic", maxSteps: 20 },
});
