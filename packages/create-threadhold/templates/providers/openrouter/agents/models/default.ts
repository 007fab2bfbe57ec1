// The key is read from OPENROUTER_API_KEY. OpenRouter reports the cost of each answer.
import { defineModel } from "threadhold";

export default defineModel({
  name: "default",
  provider: "openrouter",
  model: "anthropic/claude-sonnet-5",
  contextWindow: 1_000_000,
  capabilities: { vision: true, functionCalling: true, structuredOutputs: true },
});
