// Plays a forecaster: asks for the user's location and reports its weather.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { call, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_weather",
  provider: "test",
  model: "demo_weather",
  inputPrice: 0,
  outputPrice: 0,
  script: answer,
});

function answer({ messages, lastUser }: TestRequest): TestTurn {
  if (/never mind/i.test(lastUser)) return say("As you like.");
  const place = messages.findLast(({ role }) => role === "tool")?.content;
  if (messages.at(-1)?.role === "tool") return forecast(place ?? "");
  // The user asks for the unit before or after the forecast.
  if (/fahrenheit/i.test(lastUser) && place !== undefined) return say(`77 °F and sunny in ${place}, as in every demo.`);
  return call("get_location", { precision: "city" }, "Let me see where you are.");
}

function forecast(place: string): TestTurn {
  if (/^(Error|Nobody)|refuse|denied/i.test(place)) return say("Then I cannot tell. Which city are you in?");
  return say(`Sunny in ${place}, as in every demo.`);
}
