// The key is read from OPENAI_API_KEY. Prices are USD for a million tokens.
import { defineModel } from "threadhold";

export default defineModel({
  name: "default",
  provider: "openai",
  model: "gpt-5.4-mini",
  inputPrice: 0.75,
  outputPrice: 4.5,
  cachedPrice: 0.075,
  contextWindow: 400_000,
  capabilities: { vision: true, functionCalling: true, structuredOutputs: true },
});
