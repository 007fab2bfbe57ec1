// Definitions with structured answers: a prompt whose answer is a weather report, as an agent's side, as a sub-prompt and in a thread of
// its own. The models' answers are those of test/worker/team.ts, by persona.

import { z } from "zod";

import { defineAgent, definePrompt } from "#spec/index.ts";

const structure = z.object({
  city: z.string().min(2),
  celsius: z.number().describe("Degrees Celsius"),
  wind: z.number().default(0),
});

const report = { toolDescription: "Reports the weather", model: "team", includeChat: true, structure };

export const structuredPrompts = [
  definePrompt({ name: "weather", prompt: "weather speaks.", tools: ["act"], ...report }),
  definePrompt({ name: "weather_below", prompt: "below speaks.", ...report, includeChat: false }),
  definePrompt({
    name: "weather_desk",
    toolDescription: "",
    prompt: "newsdesk speaks.",
    model: "team",
    includeChat: true,
    includePastTools: true,
    tools: ["weather_below", "forecaster"],
  }),
];

export const structuredAgents = [
  defineAgent({ name: "forecaster", sideA: { prompt: "weather" }, exposeAsTool: true, toolDescription: "Forecasts" }),
  defineAgent({ name: "newsdesk", sideA: { prompt: "weather_desk" } }),
  defineAgent({ name: "forecast_react", sideA: { prompt: "weather", strategy: "react" } }),
  defineAgent({ name: "forecast_plan", sideA: { prompt: "weather", strategy: "plan" } }),
  defineAgent({ name: "forecast_own", sideA: { prompt: "weather", strategy: "once" } }),
  defineAgent({
    name: "forecast_tool",
    sideA: { prompt: "weather", stopTool: "act", stopToolResponseProperty: "key" },
  }),
];
