import { defineAgent } from "threadhold";

export default defineAgent({
  name: "concierge",
  description: "Demo: a hotel's concierge whose prompt is composed of four files. Needs no key.",
  starters: ["When is the pool open?"],
  sideA: { label: "Concierge", prompt: "concierge_rules" },
});
