// Plays a forecaster: asks where the person is, and says something about the place.

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

function answer({ messages }: TestRequest): TestTurn {
  const last = messages.at(-1);
  if (last?.role !== "tool") return call("get_location", { precision: "city" }, "Let me see where you are.");
  if (/^(Error|Nobody)|refuse|denied/i.test(last.content)) return say("Then I cannot tell. Which city are you in?");
  return say(`Sunny in ${last.content}, as in every demo.`);
}
