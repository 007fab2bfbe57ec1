// Two models talk to each other. What a person posts is the motion; side A answers it first.

import { defineAgent } from "threadhold";

export default defineAgent({
  name: "debate",
  description: "Demo: two models debate a motion until one of them closes the session. Needs no key.",
  starters: ["Every town should have a tram."],
  toolDescription: "Have a motion debated by two models; the result is the verdict.",
  type: "dual_ai",
  // Turns of both sides together. Without this and an end tool a conversation of two models has no end of its own.
  maxSessionTurns: 10,
  sideA: { label: "For", prompt: "debate_for", maxSteps: 4 },
  sideB: {
    label: "Against",
    prompt: "debate_against",
    maxSteps: 4,
    // A successful call ends the session for both; this property of its result, else of its arguments, is the outcome.
    endSessionTool: "close_debate",
    stopToolResponseProperty: "verdict",
  },
});
