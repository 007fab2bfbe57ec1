// A structured prompt: texts and other prompts, in reading order. Parts are joined without separators, so each has its own line
// breaks.

import { definePrompt } from "threadhold";

export default definePrompt({
  name: "concierge_rules",
  toolDescription: "Answers guests of the hotel",
  model: "demo_concierge",
  includeChat: true,
  prompt: [
    {
      type: "text",
      content: "You are the concierge of a small hotel. Answer from the facts below and nothing else.\n\n",
    },
    { type: "include", prompt: "hotel_voice" },
    { type: "text", content: "\n\n" },
    { type: "include", prompt: "hotel_facts" },
  ],
});
