// The definitions that the providers' recorded answers refer to: an agent for each provider, with the tools that the
// answers call.

import type { ProjectCopy } from "./project-copy.ts";

/** The providers that are reached over the network. */
export const providers = ["openai", "anthropic", "google", "openrouter"] as const;
export type Provider = (typeof providers)[number];

/** The exact system prompt of these agents. */
export const systemPrompt = "You tell the weather and the time, with your tools.";

const tool = (
  description: string,
  argument: string,
  result: string,
): string => `import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool(
  "${description}",
  z.object({ ${argument}: z.string().describe("Which one") }),
  (_state, args) => Promise.resolve({ status: "success", result: ${result} }),
);
`;

/** Adds the definitions to a project. */
export function addWeatherAgents(project: ProjectCopy): void {
  project.write("agents/tools/get_weather.ts", tool("The weather of a city", "city", "`Sunny in ${args.city}`"));
  project.write("agents/tools/get_time.ts", tool("The time in a zone", "zone", "`Noon in ${args.zone}`"));
  for (const provider of providers) {
    project.write(
      `agents/prompts/weather_${provider}.ts`,
      `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "weather_${provider}",
  toolDescription: "Tells the weather",
  model: "${provider}",
  includeChat: true,
  parallelToolCalls: true,
  tools: ["get_weather", "get_time"],
  prompt: "${systemPrompt}",
});
`,
    );
    project.write(
      `agents/agents/weather_${provider}_assistant.ts`,
      `import { defineAgent } from "threadhold";

export default defineAgent({
  name: "weather_${provider}_assistant",
  description: "Tells the weather",
  sideA: { label: "Assistant", prompt: "weather_${provider}", maxSteps: 20 },
});
`,
    );
  }
}
