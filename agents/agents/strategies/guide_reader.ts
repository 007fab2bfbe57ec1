// With the strategy `plan` the model first makes a plan, and then carries out one step of it at a time.

import { defineAgent } from "threadhold";

export default defineAgent({
  name: "guide_reader",
  description: "Demo: an agent that plans which pages of the handbook it reads, and then explains them. Needs no key.",
  starters: ["Explain runs and events"],
  strategy: { type: "plan", maxPlanSteps: 6 },
  sideA: { label: "Reader", prompt: "read_guide", maxSteps: 20 },
});
