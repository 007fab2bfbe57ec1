import { definePrompt } from "threadhold";

export default definePrompt({
  name: "tell_weather",
  toolDescription: "Tells the weather",
  model: "demo_weather",
  includeChat: true,
  includePastTools: true,
  tools: ["get_location"],
  prompt: "You tell the weather where the person is. Ask their device for the city first.",
});
