// As a tool, an agent with two sides works in a child thread while the caller's run is suspended. The arguments of the call count as
// a message of side B: the writer has submitted a draft, and the critic answers.

import { defineAgent } from "threadhold";

export default defineAgent({
  name: "review_room",
  description: "Demo: a critic and a writer who work on a text until the critic approves. Needs no key.",
  toolDescription: "Have a text reviewed and rewritten; the result is the approved text.",
  type: "dual_ai",
  maxSessionTurns: 8,
  sideA: {
    label: "Critic",
    prompt: "critic_rules",
    endSessionTool: "approve_text",
    // The property that becomes the tool's result for the caller.
    stopToolResponseProperty: "text",
    maxSteps: 3,
  },
  sideB: { label: "Writer", prompt: "writer_rules", maxSteps: 3 },
});
