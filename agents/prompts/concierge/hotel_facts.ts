// The concierge's prompt includes this prompt, which includes another one. Includes may be nested; a cycle is refused.

import { definePrompt } from "threadhold";

export default definePrompt({
  name: "hotel_facts",
  toolDescription: "What is true of the hotel",
  model: "demo_concierge",
  prompt: [
    { type: "text", content: "Facts:\n- Dogs are welcome in every room and in the garden.\n" },
    { type: "include", prompt: "hotel_hours" },
  ],
});
