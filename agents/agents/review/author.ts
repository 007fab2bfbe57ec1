import { defineAgent } from "threadhold";

export default defineAgent({
  name: "author",
  description: "Demo: an author whose draft is reviewed by two models in a thread of their own. Needs no key.",
  starters: ["A line for our bicycles"],
  sideA: { label: "Author", prompt: "author_rules", maxSteps: 10 },
});
