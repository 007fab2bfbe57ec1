// This prompt is only included, so only its text is used; its model and tools have no effect.

import { definePrompt } from "threadhold";

export default definePrompt({
  name: "hotel_voice",
  toolDescription: "How everybody at the hotel speaks",
  model: "demo_concierge",
  prompt: 'Speak plainly and kindly. Sign every answer with "Yours, the Linden House".',
});
