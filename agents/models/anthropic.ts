import { defineModel } from "threadhold";

export default defineModel({
  name: "anthropic",
  provider: "anthropic",
  model: "claude-sonnet-5-5",
  inputPrice: 2,
  outputPrice: 10,
  cachedPrice: 0.1,
  cacheWritePrice: 2.5,
  contextWindow: 1_000_000,
  capabilities: { vision: true, functionCalling: true, structuredOutputs: true },
});
