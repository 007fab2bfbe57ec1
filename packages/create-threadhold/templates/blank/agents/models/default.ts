// A scripted model. It needs no key: the function below writes its answers.
import { defineModel } from "threadhold";

export default defineModel({
  name: "default",
  provider: "test",
  model: "scripted",
  script: ({ lastUser }) => ({ delayMs: 30, text: `You said: ${lastUser}` }),
});
