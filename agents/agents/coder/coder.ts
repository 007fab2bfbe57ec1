import { defineAgent } from "threadhold";

export default defineAgent({
  name: "coder",
  description: "Demo: an assistant that works on the thread's files with the built-in tools. Needs no key.",
  starters: ["Raise the price of coffee."],
  sideA: { label: "Coder", prompt: "write_code", maxSteps: 20 },
});
