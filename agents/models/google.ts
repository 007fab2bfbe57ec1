import { defineModel } from "threadhold";

export default defineModel({
  name: "google",
  provider: "google",
  model: "gemini-2.5-flash",
  inputPrice: 0.3,
  outputPrice: 2.5,
  contextWindow: 1_048_576,
  capabilities: { vision: true, functionCalling: true, structuredOutputs: true },
});
