// The Worker reaches the model by its binding AI, so there is no key. To work without an account, use the provider "test" and a script.
import { defineModel } from "threadhold";

export default defineModel({
  name: "default",
  provider: "workers-ai",
  model: "@cf/zai-org/glm-4.7-flash",
  capabilities: { vision: false, functionCalling: true },
});
