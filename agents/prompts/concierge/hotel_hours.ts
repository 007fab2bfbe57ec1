// The part that changes every season has its own file.

import { definePrompt } from "threadhold";

export default definePrompt({
  name: "hotel_hours",
  toolDescription: "When things are open at the hotel",
  model: "demo_concierge",
  prompt: "- Breakfast is served from 7 to 10.\n- The pool is open from 9 to 21.\n- The desk is staffed day and night.",
});
