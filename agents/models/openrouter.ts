import { defineModel } from "threadhold";

export default defineModel({
  name: "openrouter",
  provider: "openrouter",
  model: "anthropic/claude-sonnet-5",
  includedProviders: ["anthropic"],
  contextWindow: 1_000_000,
  capabilities: { vision: true, functionCalling: true, structuredOutputs: true },
});
