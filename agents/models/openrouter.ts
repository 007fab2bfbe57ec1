import { defineModel } from "threadhold";

export default defineModel({
  name: "openrouter",
  provider: "openrouter",
  model: "anthropic/claude-sonnet-4.5",
  includedProviders: ["anthropic"],
  contextWindow: 200_000,
  capabilities: { vision: true, functionCalling: true, structuredOutputs: true },
});
