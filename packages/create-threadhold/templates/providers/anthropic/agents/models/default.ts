// The key is read from ANTHROPIC_API_KEY. Prices are USD for a million tokens.
import { defineModel } from "threadhold";

export default defineModel({
  name: "default",
  provider: "anthropic",
  model: "claude-sonnet-4-5",
  inputPrice: 3,
  outputPrice: 15,
  cachedPrice: 0.3,
  cacheWritePrice: 3.75,
  contextWindow: 200_000,
  capabilities: { vision: true, functionCalling: true, structuredOutputs: true },
});
