// Only ever included: its text counts, its model and tools do not.

import { definePrompt } from "threadhold";

export default definePrompt({
  name: "hotel_voice",
  toolDescription: "How everybody at the hotel speaks",
  model: "demo_concierge",
  prompt: 'Speak plainly and kindly. Sign every answer with "Yours, the Linden House".',
});
