import { defineModel } from "threadhold";

export default defineModel({
  name: "openai",
  provider: "openai",
  model: "gpt-4o-mini",
  inputPrice: 0.15,
  outputPrice: 0.6,
  cachedPrice: 0.075,
  contextWindow: 128_000,
  capabilities: { vision: true, functionCalling: true, structuredOutputs: true },
});
