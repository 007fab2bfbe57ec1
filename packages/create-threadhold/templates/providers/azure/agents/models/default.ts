// The field `model` is the name of a deployment. The key is read from AZURE_API_KEY, and the address from AZURE_RESOURCE_NAME. Prices are USD
// for a million tokens.
import { defineModel } from "threadhold";

export default defineModel({
  name: "default",
  provider: "azure",
  model: "gpt-5.4-mini",
  inputPrice: 0.75,
  outputPrice: 4.5,
  cachedPrice: 0.075,
  contextWindow: 400_000,
  capabilities: { vision: true, functionCalling: true, structuredOutputs: true },
});
