import { defineAgent } from "threadhold";

export default defineAgent({
  name: "concierge",
  description: "Demo: a hotel's concierge whose prompt is composed of four files. Needs no key.",
  sideA: { label: "Concierge", prompt: "concierge_rules" },
});
