import { defineAgent } from "threadhold";

export default defineAgent({
  name: "google_assistant",
  description: "The assistant on a model of Google. Needs GOOGLE_API_KEY.",
  sideA: { label: "Assistant", prompt: "help_google", maxSteps: 20 },
});
