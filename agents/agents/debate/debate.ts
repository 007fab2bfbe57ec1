// Two models debate. The user's message is the motion, and side A answers it first.

import { defineAgent } from "threadhold";

export default defineAgent({
  name: "debate",
  description: "Demo: two models debate a motion until one of them closes the session. Needs no key.",
  starters: ["Every town should have a tram."],
  toolDescription: "Have a motion debated by two models; the result is the verdict.",
  type: "dual_ai",
  // Turns of both sides together. Without a limit or an end tool, two models would talk without end.
  maxSessionTurns: 10,
  sideA: { label: "For", prompt: "debate_for", maxSteps: 4 },
  sideB: {
    label: "Against",
    prompt: "debate_against",
    maxSteps: 4,
    // A successful call ends the session of both sides. The outcome is this property of its result, else of its arguments.
    endSessionTool: "close_debate",
    stopToolResponseProperty: "verdict",
  },
});
