// A small project: definitions of every kind.

import { z } from "zod";

import { defineAgent } from "#spec/agent.ts";
import { defineTool } from "#spec/define-tool.ts";
import { defineModel } from "#spec/model.ts";
import { definePrompt } from "#spec/prompt.ts";
import type { Registry, RouteEntry } from "#spec/registry.ts";

const helper = defineAgent({ name: "helper", sideA: { prompt: "helping" }, icon: "/helper.svg", description: "Helps" });
const clerk = defineAgent({ name: "clerk", sideA: { prompt: "helping", maxSteps: 3 } });
const helping = definePrompt({
  name: "helping",
  toolDescription: "Helps",
  prompt: "You help.",
  model: "fast",
  tools: ["get_weather"],
  requiredSchema: z.object({ task: z.string() }),
});
const fast = defineModel({
  name: "fast",
  provider: "openai",
  model: "gpt-4o",
  inputPrice: 1,
  headers: { "x-secret": "do-not-show" },
});
const weather = defineTool(
  "Tells the weather",
  z.object({ city: z.string(), unit: z.enum(["c", "f"]).default("c"), at: z.object({ day: z.number() }).optional() }),
  async () => ({ status: "success", result: "sunny" }),
);
const ask = defineTool("Asks a person", null, undefined, {
  resultSchema: z.object({ place: z.string(), people: z.number().int().optional() }),
});

export function testRegistry(routes: readonly RouteEntry[] = []): Registry {
  return {
    agents: { helper: async () => helper, clerk: async () => clerk },
    prompts: { helping: async () => helping },
    models: { fast: async () => fast },
    tools: { get_weather: async () => weather, ask: async () => ask },
    hooks: [
      {
        hook: "filter_messages",
        file: "agents/hooks/keep-short.ts",
        load: async () => async (_state: unknown, list: unknown[]) => list as never,
      },
    ],
    routes,
    hash: "hash",
  };
}
