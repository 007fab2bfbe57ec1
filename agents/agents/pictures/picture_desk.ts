import { defineAgent } from "threadhold";

export default defineAgent({
  name: "picture_desk",
  description: "Demo: looks at images that you attach, and draws badges. Needs no key.",
  starters: ['Draw a badge with "Well done"'],
  sideA: { label: "Picture desk", prompt: "picture_rules", maxSteps: 5 },
});
