import { defineAgent } from "threadhold";

export default defineAgent({
  name: "assistant",
  description: "Answers questions.",
  starters: ["Hello!"],
  sideA: { label: "Assistant", prompt: "assistant", maxSteps: 20 },
});
