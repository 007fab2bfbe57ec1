import { defineAgent } from "threadhold";

export default defineAgent({
  name: "forecaster",
  description: "Demo: an agent whose tool runs on the client's side. Needs no key.",
  starters: ["What is the weather?"],
  sideA: { label: "Forecaster", prompt: "tell_weather", maxSteps: 10 },
});
