// The key is read from OPENAI_API_KEY. Prices are USD for a million tokens.
import { defineModel } from "threadhold";

export default defineModel({
  name: "default",
  provider: "openai",
  model: "gpt-4o-mini",
  inputPrice: 0.15,
  outputPrice: 0.6,
  cachedPrice: 0.075,
  contextWindow: 128_000,
  capabilities: { vision: true, functionCalling: true, structuredOutputs: true },
});
