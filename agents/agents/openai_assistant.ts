import { defineAgent } from "threadhold";

export default defineAgent({
  name: "openai_assistant",
  description: "The assistant on a model of OpenAI. Needs OPENAI_API_KEY.",
  sideA: { label: "Assistant", prompt: "help_openai", maxSteps: 20 },
});
