import { defineAgent } from "threadhold";

export default defineAgent({
  name: "assistant",
  description: "Answers questions and keeps notes.",
  starters: [
    "What time is it?",
    "Remember that the door code is 4711",
    "What do your notes say?",
    "Send the team: the door is open",
  ],
  sideA: { label: "Assistant", prompt: "assistant", maxSteps: 20 },
});
