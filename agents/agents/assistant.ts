import { defineAgent } from "threadhold";

export default defineAgent({
  name: "assistant",
  description: "The first minute: a scripted assistant with two tools. Needs no key.",
  starters: ["What is a thread?"],
  sideA: { label: "Assistant", prompt: "help", maxSteps: 20 },
});
