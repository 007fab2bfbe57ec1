import { defineAgent } from "threadhold";

export default defineAgent({
  name: "assistant",
  description: "The first minute: a scripted assistant with two tools. Needs no key.",
  starters: ["What is a thread?"],
  exposeAsTool: true,
  toolDescription: "Answers questions about Threadhold, and keeps notes",
  sideA: { label: "Assistant", prompt: "help", maxSteps: 20 },
});
