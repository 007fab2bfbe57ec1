import { defineAgent } from "threadhold";

export default defineAgent({
  name: "adviser",
  description: "Demo: an agent whose tool executes an agent of its own, which counts to the run. Needs no key.",
  starters: ["Should we buy or rent a coffee machine?"],
  sideA: { label: "Adviser", prompt: "give_advice", maxSteps: 10 },
});
