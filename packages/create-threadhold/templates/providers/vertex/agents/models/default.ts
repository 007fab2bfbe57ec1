// The key is read from GOOGLE_VERTEX_API_KEY. Prices are USD for a million tokens.
import { defineModel } from "threadhold";

export default defineModel({
  name: "default",
  provider: "vertex",
  model: "gemini-3.5-flash",
  inputPrice: 1.5,
  outputPrice: 9,
  cachedPrice: 0.15,
  contextWindow: 1_048_576,
  capabilities: { vision: true, functionCalling: true, structuredOutputs: true },
});
